#!/bin/sh
# Who has an account: a file with one address on each line.

# add_account ADDRESS FILE: adds an address, once.
add_account() {
  has_account "$1" "$2" || echo "$1" >>"$2"
}

# has_account ADDRESS FILE: whether this very address is there.
has_account() {
  [ -e "$2" ] && grep -q -x -F -e "$1" "$2"
}
