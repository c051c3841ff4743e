# {{call}} PERSON MESSAGE: hands a message to the program MAILER. What cannot be sent is tried once again.
{{call}}() (
  for attempt in 1 2; do
    if printf '%s\n' "$2" | "${MAILER:-mail}" "$1"; then
      echo "sent to $1"
      exit 0
    fi
  done
  echo "failed: the message to $1 could not be sent in $attempt attempts" >&2
  exit 1
)
