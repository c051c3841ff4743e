{{test}}() {
  echo ann@example.com >"$place/accounts"
  keep() {
    echo "$1" >>"$place/sent"
  }
  known=$({{call}} ann@example.com "$place/accounts" keep 2>&1) || return 1
  unknown=$({{call}} bob@example.com "$place/accounts" keep 2>&1) || return 1
  unsent=$({{call}} ann@example.com "$place/accounts" false 2>&1) || return 1
  [ "$(cat "$place/sent")" = ann@example.com ] && [ "$unsent" = "$known" ] || return 1
  [ "$(echo "$unknown" | sed s/bob/ann/)" = "$known" ]
}
check {{test}}
