#!/bin/sh
# Reviews a pull request, or documents, and reports it to GitHub: a SARIF log, annotations, and one comment. `action.yml`
# calls it; it can be run by hand as well. Everything comes in variables, and nothing of a pull request is ever put into
# a command:
#
#   REVIEW_WHAT       change or documents
#   REVIEW_BASE       the branch that the pull request goes to; empty outside of one
#   REVIEW_HEAD       its last commit
#   REVIEW_NUMBER     its number
#   REVIEW_FORK       true: it comes from another repository
#   REVIEW_TITLE, REVIEW_BODY   its text, which reviewers are told
#   REVIEW_DOCUMENTS  patterns of documents, one a line
#   REVIEW_AGENT, REVIEW_BUDGET   those of `redraft review`; empty: as configured
#   REVIEW_FORMAT     words: github, sarif
#   REVIEW_COMMENT    true: keep a comment on the pull request up to date
#   REVIEW_OUT        a folder for what is written, made anew
#   GH_TOKEN, GITHUB_REPOSITORY   for the comment
#
# Ends with the code of `redraft review`; of several documents with the gravest: no verdict before findings.
set -eu

# More documents than code scanning takes logs at once.
documents_max=20
# Less than a comment may have.
comment_bytes_max=60000
# What decides how a document is judged, and so comes from the base.
rules='redraft.toml .redraft AGENTS.md CLAUDE.md .claude/CLAUDE.md .editorconfig CONTRIBUTING CONTRIBUTING.md
  CONTRIBUTING.rst .github/CONTRIBUTING .github/CONTRIBUTING.md .github/CONTRIBUTING.rst docs/CONTRIBUTING
  docs/CONTRIBUTING.md docs/CONTRIBUTING.rst'

# annotate LEVEL TITLE TEXT: beside no line.
annotate() {
  printf '%s\n' "$3" | sed 's/%/%25/g' | tr -d '\r' |
    awk -v level="$1" -v title="$2" '{ text = text (NR > 1 ? "%0A" : "") $0 } END { print "::" level " title=" title "::" text }'
}

# die CODE TEXT
die() {
  annotate error 'not reviewed' "$2"
  exit "$1"
}

# The agents and their programs have no use for it.
token=${GH_TOKEN:-}
unset GH_TOKEN GITHUB_TOKEN
out=$REVIEW_OUT
rm -rf "$out"
mkdir -p "$out/sarif"
: >"$out/found"
# In CI, what was answered is published at once.
export CI="${CI:-true}"

# redraft, with what it says shown as it comes. None of it is read as a command of the runner. Leaves stdout in
# $out/data, stderr in $out/talk, the exit code in $code.
told() {
  pause=$(od -An -N16 -tx1 /dev/urandom | tr -d ' \n')
  echo "::stop-commands::$pause"
  {
    code=0
    redraft "$@" </dev/null 2>&1 >"$out/data" || code=$?
    echo "$code" >"$out/code"
  } | tee "$out/talk"
  echo "::$pause::"
  code=$(cat "$out/code")
}

# The same result in another form: nothing is new, so nobody is asked.
again() {
  redraft --quiet "$@" </dev/null 2>/dev/null || true
}

# judge WORDS…: `redraft review` with these words, reported in every form.
judge() {
  judged=$((${judged:-0} + 1))
  told review --format sarif "$@"
  case $code in
    0 | 1)
      # A log without a verdict would close what an earlier one has found.
      if grep -q '"executionSuccessful": true' "$out/data"; then cp "$out/data" "$out/sarif/$judged.sarif"; fi
      case " $REVIEW_FORMAT " in *" github "*) again review --format github "$@" ;; esac
      again review --format table "$@" | sed -e '/^next: /d' -e '/^nothing is new since/d' >>"$out/found"
      sed -n 's/^\(cost: .*\); more: .*/\1/p' "$out/talk" >>"$out/found"
      ;;
    *)
      why=$(tail -n 20 "$out/talk")
      annotate error 'not reviewed' "redraft ended with code $code: $why"
      printf 'no verdict, code %s\n%s\n' "$code" "$why" >>"$out/found"
      ;;
  esac
  case $code in
    0) ;;
    1) [ "$worst" -ne 0 ] || worst=1 ;;
    *) [ "$worst" -gt 1 ] || worst=$code ;;
  esac
}

# restored REV: the files that decide how documents are judged, as they are there.
restored() {
  for name in $rules; do
    if git cat-file -e "$1:$name" 2>/dev/null || [ -n "$(git ls-files -- "$name")" ]; then
      git restore --source="$1" --worktree -- "$name"
    fi
  done
}

documents() {
  git config user.email >/dev/null || {
    export GIT_AUTHOR_NAME=redraft GIT_AUTHOR_EMAIL=redraft@localhost
    export GIT_COMMITTER_NAME=redraft GIT_COMMITTER_EMAIL=redraft@localhost
  }
  printf '%s\n' "$REVIEW_DOCUMENTS" | while IFS= read -r pattern; do
    [ -z "$pattern" ] || git -c core.quotePath=false ls-files -- ":(top,glob)$pattern"
  done | sort -u >"$out/all"
  if [ -n "$base" ]; then
    # Only what the pull request touches, and nothing that would judge itself.
    git -c core.quotePath=false diff --name-only --diff-filter=d "$base...HEAD" >"$out/changed"
    printf '%s\n' $rules >"$out/rules"
    grep -Fxf "$out/changed" "$out/all" | grep -Fxvf "$out/rules" | grep -v '^\.redraft/' >"$out/named" || true
    # shellcheck disable=SC2086
    git diff --quiet HEAD -- $rules || die 2 'files that decide how documents are judged were changed in this job before'
    trap 'restored HEAD' EXIT
    restored "$base"
  else
    mv "$out/all" "$out/named"
  fi
  count=$(($(wc -l <"$out/named")))
  [ "$count" -le "$documents_max" ] || die 2 "$count documents fit the patterns, and $documents_max are reviewed at once"
  [ "$count" -gt 0 ] || annotate notice 'redraft review' 'no document fits the patterns, so there was nothing to review'
  while IFS= read -r document; do
    judge "$@" -- "$document"
  done <"$out/named"
}

change() {
  [ -n "$base" ] || die 2 'a change is reviewed in a pull request; outside of one, review documents'
  printf '%s\n\n%s\n' "$REVIEW_TITLE" "$REVIEW_BODY" >"$out/intent"
  unset REVIEW_TITLE REVIEW_BODY
  judge --base "$base" --head "$REVIEW_HEAD" --name "pull-$REVIEW_NUMBER" --intent-file "$out/intent" "$@"
}

# fenced FILE: as text that can neither end its fence, nor call people, nor look like something else.
fenced() {
  fence=$(awk '{ while (match($0, /~+/)) { if (RLENGTH > most) most = RLENGTH; $0 = substr($0, RSTART + RLENGTH) } }
    END { for (n = 0; n < most + 4; n++) printf "~" }' "$1")
  printf '%stext\n' "$fence"
  head -c "$comment_bytes_max" "$1"
  [ "$(($(wc -c <"$1")))" -le "$comment_bytes_max" ] || printf '\n… the rest is in the log of the job\n'
  printf '\n%s\n' "$fence"
}

# The comment of this review, which is known by its first line and its author: others can write such a line, too.
comment() {
  # shellcheck disable=SC2016
  query='query($owner: String!, $name: String!, $number: Int!, $endCursor: String) {
    repository(owner: $owner, name: $name) { pullRequest(number: $number) {
      comments(first: 100, after: $endCursor) {
        nodes { databaseId body viewerDidAuthor } pageInfo { hasNextPage endCursor } } } } }'
  own='.data.repository.pullRequest.comments.nodes[]
    | select(.viewerDidAuthor and (.body | startswith(env.REVIEW_MARKER))) | .databaseId'
  ids=$(GH_TOKEN=$token REVIEW_MARKER=$marker gh api graphql --paginate -f owner="${GITHUB_REPOSITORY%%/*}" \
    -f name="${GITHUB_REPOSITORY#*/}" -F number="$REVIEW_NUMBER" -f query="$query" --jq "$own") || return 1
  id=$(printf '%s\n' "$ids" | head -n 1)
  if [ -n "$id" ]; then
    GH_TOKEN=$token gh api --silent --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$id" -F body=@"$out/comment"
  elif [ "$worst" -ne 0 ]; then
    GH_TOKEN=$token gh api --silent --method POST "repos/$GITHUB_REPOSITORY/issues/$REVIEW_NUMBER/comments" \
      -F body=@"$out/comment"
  fi
}

case $REVIEW_NUMBER in *[!0-9]*) die 2 'the number of a pull request has digits only' ;; esac
case $REVIEW_HEAD in *[!0-9a-f]*) die 2 'the head of a pull request is named by its commit' ;; esac
[ "$(git rev-parse --is-shallow-repository)" = false ] ||
  die 2 'this checkout lacks the history: use actions/checkout with fetch-depth: 0'
base=
if [ -n "$REVIEW_BASE" ]; then
  base=origin/$REVIEW_BASE
  git rev-parse --verify --quiet "refs/remotes/$base^{commit}" >/dev/null ||
    die 2 "$base is not in this checkout: use actions/checkout with fetch-depth: 0"
  git rev-parse --verify --quiet "$REVIEW_HEAD^{commit}" >/dev/null ||
    die 2 "commit $REVIEW_HEAD is not in this checkout: give actions/checkout the ref of the pull request's head"
fi
if [ "$REVIEW_WHAT" = documents ] && [ -n "$base" ] && [ "$(git rev-parse HEAD)" != "$REVIEW_HEAD" ]; then
  die 2 "documents are reviewed as they are checked out: give actions/checkout the ref of the pull request's head"
fi

[ "${REVIEW_FORK:-}" != true ] || annotate warning 'redraft review' \
  'this comes from a fork: the job has no secrets and may write nothing, so an agent with a key cannot review it, and a shared review ends with code 3'

# What the base's redraft.toml wants is accepted here: whoever can write to the base decides.
if [ -n "$base" ]; then told trust --base "$base" --yes --json; else told trust --yes --json; fi
[ "$code" -eq 0 ] || die "$code" "$(tail -n 20 "$out/talk")"
grep -q '"share.remote"' "$out/data" || annotate notice 'redraft review' \
  'reviews are not shared ([share] of redraft.toml), so each run begins anew and pays again'

set -- --take --yes
[ -z "$REVIEW_AGENT" ] || set -- "$@" --agent "$REVIEW_AGENT"
[ -z "$REVIEW_BUDGET" ] || set -- "$@" --budget "$REVIEW_BUDGET"
worst=0
case $REVIEW_WHAT in
  change) change "$@" ;;
  documents) documents "$@" ;;
  *) die 2 'a change or documents are reviewed, nothing else' ;;
esac

case $worst in
  0) title='Redraft: nothing is open' ;;
  1) title='Redraft: there are open findings' ;;
  *) title='Redraft: there is no verdict' ;;
esac
marker="<!-- redraft review: $REVIEW_WHAT -->"
{
  printf '%s\n### %s\n\nAt commit %s.\n\n' "$marker" "$title" "$(git rev-parse "${REVIEW_HEAD:-HEAD}")"
  fenced "$out/found"
} >"$out/comment"
if [ -s "$out/found" ]; then
  [ -z "${GITHUB_STEP_SUMMARY:-}" ] || cat "$out/comment" >>"$GITHUB_STEP_SUMMARY"
  if [ "$REVIEW_COMMENT" = true ] && [ -n "$REVIEW_NUMBER" ]; then
    comment || annotate warning 'redraft review' 'the comment could not be written: the job needs pull-requests: write'
  fi
fi
if [ -n "${GITHUB_OUTPUT:-}" ]; then
  uploads=false
  case " $REVIEW_FORMAT " in *" sarif "*) [ -z "$(ls "$out/sarif")" ] || uploads=true ;; esac
  printf 'code=%s\nsarif=%s\nuploads=%s\n' "$worst" "$out/sarif" "$uploads" >>"$GITHUB_OUTPUT"
fi
exit "$worst"
