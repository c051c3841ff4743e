{{test}}_beside_earlier_ones() {
  RECORD=$place/record
  {{call}} ann done && {{call}} ann refused && [ "$(wc -l <"$RECORD")" -eq 2 ]
}
check {{test}}_beside_earlier_ones
