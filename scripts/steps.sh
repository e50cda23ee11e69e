# Sourced by ./run and ./check: quiet steps that say what they do, and show the end of their log where they fail.
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build="$root/build"
logs="$build/log"
mkdir -p "$logs"

# step TITLE LOG COMMAND...: runs the command with its output in build/log/LOG.
step() {
  local title=$1 log="$logs/$2" start=$SECONDS
  shift 2
  printf '%-58s' "$title"
  if "$@" >"$log" 2>&1; then
    printf ' %5d s\n' $((SECONDS - start))
  else
    local code=$?
    printf ' failed (%d)\n\n' "$code"
    tail -n 40 "$log"
    printf '\nThe whole output: %s\n' "$log"
    return "$code"
  fi
}

# configure [CMake options...]: configures build/; options stay as they are where none are given.
configure() {
  local generator=()
  [ -e "$build/CMakeCache.txt" ] || generator=(-G Ninja)
  local launcher=()
  command -v ccache >/dev/null && launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
  cmake -S "$root" -B "$build" "${generator[@]}" "${launcher[@]}" "$@"
}
