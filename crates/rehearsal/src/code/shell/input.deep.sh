{{test}}_that_leads_elsewhere() {
  for thing in ../x /etc/passwd -rf .hidden; do
    echo "thing: $thing" >"$place/request"
    said=$({{call}} "$place/request" ann 2>&1) && return 1
    [ "$said" = "refused: thing is malformed" ] || return 1
  done
}
check {{test}}_that_leads_elsewhere
