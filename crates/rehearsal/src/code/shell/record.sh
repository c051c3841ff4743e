# {{call}} PERSON RESULT: adds a line to the file RECORD: when, who, and with which result.
{{call}}() (
  plain() {
    printf %s "$1" | tr '\t\n' '  '
  }
  line="$(date -u +%Y-%m-%dT%H:%M:%SZ)	$(plain "$1")	$(plain "$2")"
  if ! { echo "$line" >>"$RECORD"; } 2>/dev/null; then
    echo "refused: nothing can be recorded in $RECORD" >&2
    exit 1
  fi
)
