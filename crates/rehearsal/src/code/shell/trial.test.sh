# How long people may have to wait.
allowed_seconds={{seconds}}

{{test}}() {
  began=$(date +%s)
  entry=0
  while [ "$entry" -lt 200 ]; do
    echo "entry $entry" >>"$place/data" || return 1
    entry=$((entry + 1))
  done
  took=$(($(date +%s) - began))
  echo "200 entries took $took seconds, and $allowed_seconds are allowed"
  [ "$took" -le "$allowed_seconds" ]
}
check {{test}}
