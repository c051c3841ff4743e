#!/bin/sh
# Runs every file of tests, and fails if one of them does.

cd "$(dirname "$0")/.." || exit 1
failed=0
for file in tests/*.sh tests/*/*.sh; do
  if [ "$file" != tests/run.sh ] && [ -e "$file" ]; then
    sh "$file" || failed=1
  fi
done
exit "$failed"
