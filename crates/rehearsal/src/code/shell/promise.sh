# What people are promised.
promise_seconds={{seconds}}

# {{call}} ASKED NOW: whether somebody who asked then is served in time. Times are in seconds.
{{call}}() {
  if [ $(($2 - $1)) -le "$promise_seconds" ]; then
    return 0
  else
    return 1
  fi
}
