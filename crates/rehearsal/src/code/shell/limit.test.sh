{{test}}() {
  echo before >"$place/state"
  said=$({{call}} 0 "$place/state" "$place/new" sleep 60 2>&1) && return 1
  [ "$said" = "refused: stopped after 0 seconds" ] && [ "$(cat "$place/state")" = before ] || return 1
  [ ! -e "$place/new" ] || return 1
  {{call}} 60 "$place/state" "$place/new" echo after && [ "$(cat "$place/state")" = after ]
}
check {{test}}
