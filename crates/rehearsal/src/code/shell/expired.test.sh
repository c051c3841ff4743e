{{test}}() {
  echo before >"$place/state"
  echo after >"$place/new"
  said=$({{call}} 1000 1061 60 "$place/state" "$place/new" 2>&1) && return 1
  [ "$said" = "refused: {{cause}}" ] && [ "$(cat "$place/state")" = before ] && [ ! -e "$place/new" ] || return 1
  echo after >"$place/new"
  {{call}} 1000 1060 60 "$place/state" "$place/new" && [ "$(cat "$place/state")" = after ]
}
check {{test}}
