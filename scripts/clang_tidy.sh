#!/usr/bin/env bash
# clang-tidy over every C++ source of the product. Usage: scripts/clang_tidy.sh [BUILD]
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build}
cd "$root"
[ -e "$build/compile_commands.json" ] || {
  echo "Configure $build first: clang-tidy needs its compile_commands.json." >&2
  exit 1
}
git ls-files 'bitstreams/*.cpp' 'common/*.cpp' 'config/*.cpp' 'driver/*.cpp' 'host/*.cpp' 'rtl/*.cpp' 'sim/*.cpp' |
  while read -r file; do if grep -qF "$root/$file" "$build/compile_commands.json"; then echo "$file"; fi; done |
  xargs -P "$(nproc)" -n 4 clang-tidy -p "$build" --quiet
