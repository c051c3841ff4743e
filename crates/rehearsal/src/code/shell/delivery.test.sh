{{test}}() {
  MAILER=busy_at_first
  busy_at_first() {
    cat >>"$place/$1"
    [ "$(wc -l <"$place/$1")" -eq 2 ]
  }
  said=$({{call}} ann hello) || return 1
  [ "$said" = "sent to ann" ] && [ "$(tail -n 1 "$place/ann")" = hello ] || return 1
  MAILER=false
  said=$({{call}} bob hello 2>&1) && return 1
  [ "$said" = "failed: the message to bob could not be sent in 2 attempts" ]
}
check {{test}}
