{{test}}() {
  RECORD=$place/record
  {{call}} ann done && {{call}} "bob
eve" refused || return 1
  [ "$(cut -f 2,3 "$RECORD" | tr '\t\n' ' ;')" = "ann done;bob eve refused;" ] || return 1
  [ "$(cut -f 1 "$RECORD" | grep -c '^20..-..-..T..:..:..Z$')" -eq 2 ] || return 1
  RECORD=$place/missing/record
  said=$({{call}} ann done 2>&1) && return 1
  [ "$said" = "refused: nothing can be recorded in $RECORD" ]
}
check {{test}}
