{{test}}() {
  echo before >"$place/state"
  [ "$({{call}} "$place/state" "$place/new" echo after)" = after ] && [ "$(cat "$place/state")" = after ] || return 1
  said=$({{call}} "$place/state" "$place/new" false 2>&1) && return 1
  [ "$said" = "failed: it was not possible to {{cause}}" ] && [ "$(cat "$place/state")" = after ]
}
check {{test}}
