{{test}}() {
  echo one >"$place/one"
  echo two >"$place/two"
  [ "$({{call}} ann "$place/one" "$place/two" | tr '\n' ' ')" = "one two " ] || return 1
  said=$({{call}} ann "$place/none" "$place/two" 2>&1) && return 1
  [ "$said" = "cannot show $place/none to ann
two" ]
}
check {{test}}
