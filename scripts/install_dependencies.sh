#!/usr/bin/env bash
# Installs what Heddle needs to build and test on Debian 12: only what is missing, as root or with sudo.
set -euo pipefail

packages=(
  g++ make cmake ninja-build ccache                                     # build
  libtomlplusplus-dev libcli11-dev libfmt-dev libspdlog-dev nlohmann-json3-dev libeigen3-dev zlib1g-dev libgtest-dev libpugixml-dev
  verilator yosys iverilog                                              # hardware
  clang-format clang-tidy git python3 unzip tcl                        # checks
  dataset-fashion-mnist                                                 # what ./run trains on
)

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "This is no Debian system. Please install by hand what Debian calls: ${packages[*]}" >&2
  exit 1
fi

missing=()
for package in "${packages[@]}"; do
  state=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
  [ "$state" = installed ] || missing+=("$package")
done
[ ${#missing[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "Please install as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
"${as_root[@]}" apt-get update
"${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "${missing[@]}"
