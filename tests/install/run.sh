#!/usr/bin/env bash
# Builds and runs tests/install/main.cpp as a user's project would.
# usage: run.sh find_package|add_subdirectory|pkg_config CMAKE COMPILER GENERATOR SOURCE BUILD
set -euo pipefail

way=$1 cmake=$2 compiler=$3 generator=$4 source=$5 build=$6
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

consume() { # consume FOLDER CMAKE-ARGUMENTS...: configure, build and run a consumer project
  local folder=$1
  shift
  "$cmake" -S "$here/$folder" -B "$work/build" -G "$generator" -DCMAKE_CXX_COMPILER="$compiler" "$@"
  "$cmake" --build "$work/build"
  "$work/build/consumer"
}

case $way in
  find_package)
    "$cmake" --install "$build" --prefix "$work/prefix" >/dev/null
    consume find_package -DCMAKE_PREFIX_PATH="$work/prefix"
    ;;
  add_subdirectory)
    consume add_subdirectory -DTWILL_SOURCE="$source"
    ;;
  pkg_config)
    command -v pkg-config >/dev/null || { echo "pkg-config is not installed: skipped"; exit 77; }
    "$cmake" --install "$build" --prefix "$work/prefix" >/dev/null
    read -ra flags < <(PKG_CONFIG_PATH="$work/prefix/share/pkgconfig" pkg-config --cflags --libs 'twill >= 0.1')
    "$compiler" -std=c++20 "$here/main.cpp" "${flags[@]}" -o "$work/consumer"
    "$work/consumer"
    ;;
  *)
    echo "unknown way: $way" >&2
    exit 2
    ;;
esac
