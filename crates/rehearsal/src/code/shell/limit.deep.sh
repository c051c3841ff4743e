{{test}}_of_work_that_fails() {
  echo before >"$place/state"
  ! {{call}} 60 "$place/state" "$place/new" false 2>/dev/null && [ "$(cat "$place/state")" = before ]
}
check {{test}}_of_work_that_fails
