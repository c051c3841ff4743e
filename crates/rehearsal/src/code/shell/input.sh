# {{call}} REQUEST PERSON: looks at a request, a file with lines of the form `name: value`, one of which names the thing.
{{call}}() (
  refuse() {
    echo "refused: $1" >&2
    exit 1
  }
  [ -n "$2" ] || refuse "person is missing"
  [ -r "$1" ] || refuse "request is missing"
  wrong=$(grep -n -v '^[a-z][a-z-]*: .' "$1" | head -n 1 | cut -d : -f 1)
  [ -z "$wrong" ] || refuse "line $wrong of the request is malformed"
  case $(sed -n 's/^thing: //p' "$1") in
    '') refuse "thing is missing" ;;
    [!a-z0-9]* | *[!a-z0-9@._-]*) refuse "thing is malformed" ;;
  esac
)
