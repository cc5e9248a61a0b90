# Shared by the scripts of this folder: source it.
# shellcheck shell=bash

say() { printf '== %s\n' "$*"; }

# need PACKAGE TEST...: notes that a Debian package is missing when the test command fails.
missing_packages=()
need() {
  local package=$1
  shift
  "$@" >/dev/null 2>&1 || missing_packages+=("$package")
}

has() { command -v "$1"; }

# Whether a compiler finds a header: has_header COMPILER HEADER FLAGS...
has_header() {
  local compiler=$1 header=$2
  shift 2
  "$compiler" "$@" -x c++ -fsyntax-only - <<<"#include <$header>"
}

# install_missing: installs the packages noted by need, or prints how to and returns 1.
install_missing() {
  ((${#missing_packages[@]})) || return 0
  local sudo=()
  local command="apt-get install -y --no-install-recommends ${missing_packages[*]}"
  if ! command -v apt-get >/dev/null; then
    echo "Missing. Install what Debian calls: ${missing_packages[*]}" >&2
    return 1
  fi
  if [[ $(id -u) -ne 0 ]]; then
    if ! sudo -n true 2>/dev/null; then
      echo "Missing packages. Run: sudo apt-get update && sudo $command" >&2
      return 1
    fi
    sudo=(sudo -n)
  fi
  say "installing ${missing_packages[*]}"
  local log
  log=$(mktemp)
  if ! "${sudo[@]}" apt-get update >"$log" 2>&1; then
    echo "apt-get update failed (going on with the lists there are):" >&2
    tail -n 5 "$log" >&2
  fi
  if ! "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y --no-install-recommends "${missing_packages[@]}" >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    rm -f "$log"
    echo "Could not install. Run: apt-get update && $command" >&2
    return 1
  fi
  rm -f "$log"
  missing_packages=()
}

processors() { nproc 2>/dev/null || echo 2; }
