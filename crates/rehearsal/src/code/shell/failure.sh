# {{call}} STATE NEW SIGN…: SIGN is a command that succeeds where it has happened. If it has not, NEW takes the place of
# STATE.
{{call}}() (
  state=$1
  new=$2
  shift 2
  if "$@"; then
    rm -f "$new"
    echo "refused: {{cause}}" >&2
    exit 1
  fi
  mv "$new" "$state"
)
