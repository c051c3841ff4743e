# {{call}} ADDRESS ACCOUNTS SEND…: sends to an address that stands in the file ACCOUNTS, and answers every address in the
# same words.
{{call}}() (
  address=$1
  accounts=$2
  shift 2
  if grep -q -x -F -e "$address" "$accounts"; then
    "$@" "$address" >/dev/null 2>&1
  fi
  echo "if there is an account for $address, a message is on its way"
)
