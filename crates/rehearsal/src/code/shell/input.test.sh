{{test}}() {
  echo "thing: ann@example.com" >"$place/request"
  {{call}} "$place/request" ann || return 1
  said=$({{call}} "$place/request" "" 2>&1) && return 1
  [ "$said" = "refused: person is missing" ] || return 1
  echo "note: hello" >"$place/request"
  said=$({{call}} "$place/request" ann 2>&1) && return 1
  [ "$said" = "refused: thing is missing" ] || return 1
  printf 'thing: x\nnonsense\n' >"$place/request"
  said=$({{call}} "$place/request" ann 2>&1) && return 1
  [ "$said" = "refused: line 2 of the request is malformed" ]
}
check {{test}}
