{{test}}_again() {
  {{call}} "$place/thing" ann && release_{{thing}} "$place/thing" && {{call}} "$place/thing" bob
}
check {{test}}_again

{{test}}_after_the_holder_ended() {
  sh -c 'echo "$$ ann"' >"$place/thing.turn"
  {{call}} "$place/thing" bob && [ "$(cut -d ' ' -f 2 "$place/thing.turn")" = bob ]
}
check {{test}}_after_the_holder_ended
