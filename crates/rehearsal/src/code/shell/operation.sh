# {{call}} STATE NEW WORK…: does it by the command WORK, whose output takes the place of STATE and is shown. Where WORK
# fails, STATE stays as it was.
{{call}}() (
  state=$1
  new=$2
  shift 2
  if ! "$@" >"$new"; then
    rm -f "$new"
    echo "failed: it was not possible to {{cause}}" >&2
    exit 1
  fi
  mv "$new" "$state"
  cat "$state"
)
