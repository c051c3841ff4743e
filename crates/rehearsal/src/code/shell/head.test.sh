#!/bin/sh
# Tests of {{tested}}.

cd "$(dirname "$0")/{{up}}" || exit 1
{{load}}folder=$(mktemp -d) || exit 1
failed=0
trap 'rm -rf "$folder"; exit $failed' EXIT

# Runs a test by its name, in a folder of its own.
check() {
  place=$folder/$1
  mkdir "$place"
  if ("$1"); then
    echo "ok $1"
  else
    echo "not ok $1"
    failed=1
  fi
}
