# {{call}} THING PERSON: takes the turn of a thing. Whoever comes second is refused, until the turn is given back or
# the process that holds it has ended.
{{call}}() (
  turn=$1.turn
  if (set -C; echo "$$ $2" >"$turn") 2>/dev/null; then
    exit 0
  fi
  read -r holder person <"$turn"
  if kill -0 "$holder" 2>/dev/null; then
    echo "refused: $person is at work on it" >&2
    exit 1
  fi
  rm -f "$turn"
  (set -C; echo "$$ $2" >"$turn") 2>/dev/null
)

# release_{{thing}} THING: gives the turn back.
release_{{thing}}() {
  rm -f "$1.turn"
}
