#!/bin/sh
# Installs redraft on a runner. `action.yml` calls it, first with `key`, then without:
#
#   install.sh key   the key of the cache for a build from source: what is built, and for which system
#   install.sh       puts the program into $INSTALL_TO/bin, and that on the PATH of later steps
#
#   INSTALL_FROM     release, source or path (it is on the PATH already)
#   INSTALL_TO       a folder
#   GITHUB_ACTION_PATH, ACTION_REPOSITORY   the checkout of this repository, and its name on GitHub
#   GH_TOKEN         for a release
set -eu

die() {
  echo "::error title=not installed::$*"
  exit 1
}

system() {
  case $(uname -s) in Linux) kind=linux ;; Darwin) kind=darwin ;; *) die "there is no redraft for $(uname -s)" ;; esac
  case $(uname -m) in x86_64 | amd64) echo "$kind-x64" ;; aarch64 | arm64) echo "$kind-arm64" ;; *) die "there is no redraft for $(uname -m)" ;; esac
}

if command -v sha256sum >/dev/null; then sha256=sha256sum; else sha256='shasum -a 256'; fi

key() {
  sources=$(cd "$GITHUB_ACTION_PATH" && find crates Cargo.toml Cargo.lock rust-toolchain.toml -type f -exec $sha256 {} + |
    LC_ALL=C sort | $sha256 | cut -d ' ' -f 1)
  system=$(system)
  echo "key=redraft-$system-$sources" >>"$GITHUB_OUTPUT"
}

# The release that this checkout is of: its archive counts only if the release's list has its checksum.
from_release() {
  system=$(system)
  version=$(sed -n 's/^version = "\(.*\)"$/\1/p' "$GITHUB_ACTION_PATH/Cargo.toml" | head -n 1)
  repository=$ACTION_REPOSITORY
  # Some runners do not say it; the path ends with OWNER/NAME/REF.
  [ -n "$repository" ] || repository=$(echo "$GITHUB_ACTION_PATH" | sed -n 's#.*/_actions/\([^/]*/[^/]*\)/.*#\1#p')
  name=redraft-$version-$system
  rm -rf "$INSTALL_TO"
  mkdir -p "$INSTALL_TO/bin"
  cd "$INSTALL_TO"
  gh release download "v$version" --repo "$repository" --pattern "$name.tar.gz" --pattern SHA256SUMS ||
    die "$repository has no release v$version for $system; install-from: source builds it"
  awk -v name="$name.tar.gz" '$2 == name' SHA256SUMS >wanted
  [ -s wanted ] && $sha256 -c wanted || die "$name.tar.gz does not have the checksum that SHA256SUMS of v$version names"
  tar -xzf "$name.tar.gz"
  mv "$name/redraft" bin/redraft
}

# A build runs scripts of others, which are given neither keys nor tokens.
from_source() {
  [ ! -x "$INSTALL_TO/bin/redraft" ] || return 0
  command -v cargo >/dev/null || die 'install-from: source needs Rust: https://rustup.rs'
  cd "$GITHUB_ACTION_PATH"
  env -i HOME="$HOME" PATH="$PATH" ${CARGO_HOME:+CARGO_HOME="$CARGO_HOME"} ${RUSTUP_HOME:+RUSTUP_HOME="$RUSTUP_HOME"} \
    ${HTTPS_PROXY:+HTTPS_PROXY="$HTTPS_PROXY"} ${SSL_CERT_FILE:+SSL_CERT_FILE="$SSL_CERT_FILE"} \
    cargo install --locked --path crates/redraft --root "$INSTALL_TO"
}

if [ "${1:-}" = key ]; then
  key
  exit 0
fi
case $INSTALL_FROM in
  release) from_release ;;
  source) from_source ;;
  path) command -v redraft >/dev/null || die 'install-from: path needs redraft on the PATH' ;;
  *) die 'install-from is release, source or path' ;;
esac
[ "$INSTALL_FROM" = path ] || echo "$INSTALL_TO/bin" >>"$GITHUB_PATH"
