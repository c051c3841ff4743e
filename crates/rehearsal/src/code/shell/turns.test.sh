{{test}}() {
  echo before >"$place/state"
  {{call}} "$place/state" ann || return 1
  said=$({{call}} "$place/state" bob 2>&1) && return 1
  [ "$said" = "refused: ann is at work on it" ] && [ "$(cat "$place/state")" = before ]
}
check {{test}}
