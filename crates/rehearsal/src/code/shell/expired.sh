# {{call}} ISSUED NOW LIFETIME STATE NEW: puts NEW in the place of STATE while what was issued is still good. Times are
# in seconds.
{{call}}() {
  if [ $(($2 - $1)) -gt "$3" ]; then
    rm -f "$5"
    echo "refused: {{cause}}" >&2
    return 1
  fi
  mv "$5" "$4"
}
