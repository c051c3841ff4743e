#!/bin/sh
# Tests of src/accounts.sh.

cd "$(dirname "$0")/.." || exit 1
. ./src/accounts.sh

folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT

add_account ann@example.com "$folder/accounts"
add_account ann@example.com "$folder/accounts"
if [ "$(wc -l <"$folder/accounts")" -eq 1 ] &&
  has_account ann@example.com "$folder/accounts" &&
  ! has_account nn@example.com "$folder/accounts"; then
  echo "ok an_address_is_added_once"
else
  echo "not ok an_address_is_added_once"
  exit 1
fi
