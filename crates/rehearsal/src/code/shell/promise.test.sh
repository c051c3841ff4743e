{{test}}() {
  {{call}} 1000 $((1000 + {{seconds}})) && ! {{call}} 1000 $((1001 + {{seconds}}))
}
check {{test}}
