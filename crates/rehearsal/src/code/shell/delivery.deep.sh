{{test}}_only_once() {
  MAILER=keep
  keep() {
    cat >>"$place/sent"
  }
  {{call}} ann hello >/dev/null && [ "$(wc -l <"$place/sent")" -eq 1 ]
}
check {{test}}_only_once
