#!/usr/bin/env bash
# Formatting of C++, and every RTL module in Verilator (-Wall), Icarus and Yosys. Usage: scripts/lint.sh [BUILD]
# BUILD has to hold the generated packages. HEDDLE_LINT_COLUMNS: the columns at which the core is elaborated.
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=${1:-$root/build}
cd "$root"
columns=${HEDDLE_LINT_COLUMNS:-8 32 64}
failed=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

complain() {
  echo "$1" >&2
  failed=1
}

# ---------------------------------------------------------------------------------------------- formatting
unformatted=$(git ls-files '*.cpp' '*.h' | xargs -P "$(nproc)" -n 16 sh -c \
  'for file; do clang-format --dry-run --Werror "$file" 2>/dev/null || echo "$file"; done' sh)
if [ -n "$unformatted" ]; then
  complain "Not formatted; run clang-format -i on"$'\n'"$unformatted"
fi

# -------------------------------------------------------------------------------------------- RTL file lists
packages=("$build/generated/heddle_isa_pkg.sv" "$build/generated/config/sim/heddle_config_pkg.sv")
for package in "${packages[@]}"; do
  [ -e "$package" ] || { echo "$package is missing: build first." >&2; exit 1; }
done
mapfile -t shared < <(git ls-files 'rtl/*_pkg.sv')
packages+=("${shared[@]}")
mapfile -t modules < <(git ls-files 'rtl/*.sv' | grep -v '_pkg\.sv$')
[ ${#modules[@]} -gt 0 ] || { echo "There are no RTL modules." >&2; exit 1; }
mapfile -t folders < <(printf '%s\n' "${modules[@]}" | xargs -n1 dirname | sort -u)
search=()
for folder in "${folders[@]}"; do search+=(-y "$folder"); done
module_name() { sed -n 's/^module \([A-Za-z0-9_]*\).*/\1/p' "$1" | head -n 1; }
# Models of primitives bear the primitive's name, not their file's: tools have to be told of them.
models=()
for module in "${modules[@]}"; do
  [ "$(module_name "$module")" = "$(basename "$module" .sv)" ] || models+=("$module")
done

# ------------------------------------------------------------------- Verilator: each module alone, default sizes
lint_module() {
  local name
  name=$(module_name "$1")
  local sources=("$1")
  for model in "${models[@]}"; do [ "$model" = "$1" ] || sources+=("$model"); done
  if ! verilator --lint-only -Wall --no-timing rtl/lint_waivers.vlt "${packages[@]}" "${search[@]}" "${sources[@]}" --top-module "$name" \
    >"$scratch/$name.lint" 2>&1; then
    { echo "verilator: $1"; cat "$scratch/$name.lint"; } >&2
    return 1
  fi
}
jobs_running=0
for module in "${modules[@]}"; do
  if ((jobs_running == $(nproc))); then
    wait -n || failed=1
    jobs_running=$((jobs_running - 1))
  fi
  lint_module "$module" &
  jobs_running=$((jobs_running + 1))
done
while ((jobs_running > 0)); do
  wait -n || failed=1
  jobs_running=$((jobs_running - 1))
done

# --------------------------------------------------------------- the core at several widths, in the three tools
for cols in $columns; do
  verilator --lint-only -Wall --no-timing "-GCOLS=$cols" rtl/lint_waivers.vlt "${packages[@]}" "${search[@]}" "${models[@]}" rtl/core/heddle_core.sv \
    --top-module heddle_core || complain "verilator: heddle_core does not lint with $cols columns"
done
for cols in $columns; do
  iverilog -g2012 -t null "-Pheddle_core.COLS=$cols" -s heddle_core "${packages[@]}" "${modules[@]}" ||
    complain "iverilog: heddle_core does not elaborate with $cols columns"
done
yosys -q -p "read_verilog -sv -DSYNTHESIS ${packages[*]} ${modules[*]}; chparam -set COLS 8 heddle_core; hierarchy -check -top heddle_core" ||
  complain "yosys: heddle_core does not elaborate"

[ "$failed" = 0 ] && echo "lint: ${#modules[@]} modules clean"
exit "$failed"
