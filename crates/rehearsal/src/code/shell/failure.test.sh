{{test}}() {
  echo before >"$place/state"
  echo after >"$place/new"
  said=$({{call}} "$place/state" "$place/new" true 2>&1) && return 1
  [ "$said" = "refused: {{cause}}" ] && [ "$(cat "$place/state")" = before ] && [ ! -e "$place/new" ] || return 1
  echo after >"$place/new"
  {{call}} "$place/state" "$place/new" false && [ "$(cat "$place/state")" = after ]
}
check {{test}}
