{{test}}_of_a_similar_address() {
  echo ann@example.com >"$place/accounts"
  keep() {
    echo "$1" >>"$place/sent"
  }
  {{call}} ann@example.co "$place/accounts" keep >/dev/null
  {{call}} nn@example.com "$place/accounts" keep >/dev/null
  [ ! -e "$place/sent" ]
}
check {{test}}_of_a_similar_address
