{{test}}_at_once() {
  {{call}} 1000 1000
}
check {{test}}_at_once
