# {{call}} PERSON RESULT…: shows files to a person. One that cannot be shown is named, and the rest is shown.
{{call}}() (
  person=$1
  shift
  shown=0
  for result in "$@"; do
    if [ -r "$result" ]; then
      cat "$result"
    else
      echo "cannot show $result to $person" >&2
      shown=1
    fi
  done
  exit "$shown"
)
