# How long a step may take.
limit_seconds={{seconds}}

# {{call}} LIMIT STATE NEW WORK…: runs work that writes NEW. Done in time, NEW takes the place of STATE; otherwise the
# work is stopped, and STATE stays as it was.
{{call}}() (
  limit=$1
  state=$2
  new=$3
  shift 3
  "$@" >"$new" &
  work=$!
  (
    left=$limit
    while [ "$left" -gt 0 ] && kill -0 "$work"; do
      sleep 1
      left=$((left - 1))
    done
    kill "$work"
  ) >/dev/null 2>&1 &
  watch=$!
  wait "$work" 2>/dev/null
  ended=$?
  kill "$watch" 2>/dev/null
  if [ "$ended" -gt 128 ]; then
    rm -f "$new"
    echo "refused: stopped after $limit seconds" >&2
    exit 1
  fi
  if [ "$ended" -gt 0 ]; then
    rm -f "$new"
    echo "refused: the work ended with code $ended" >&2
    exit 1
  fi
  mv "$new" "$state"
)
