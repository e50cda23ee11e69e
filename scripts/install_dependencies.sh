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
# For XRT, with cards and with emulated boards. Everything else works without them.
optional=(libxrt-dev uuid-dev)

if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
  echo "This is no Debian system. Please install by hand what Debian calls: ${packages[*]}" >&2
  exit 1
fi

absent() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true)" != installed ]; }

missing=() wanted=()
for package in "${packages[@]}"; do
  if absent "$package"; then missing+=("$package"); fi
done
for package in "${optional[@]}"; do
  if absent "$package"; then wanted+=("$package"); fi
done
[ ${#missing[@]} -eq 0 ] && [ ${#wanted[@]} -eq 0 ] && exit 0

as_root=()
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    [ ${#missing[@]} -eq 0 ] && exit 0
    echo "Please install as root: apt-get install ${missing[*]}" >&2
    exit 1
  fi
  as_root=(sudo)
fi
install() { "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends "$@"; }

# What can be had without is no reason to stop.
if [ ${#missing[@]} -eq 0 ]; then
  "${as_root[@]}" apt-get update || exit 0
else
  "${as_root[@]}" apt-get update
  install "${missing[@]}"
fi
[ ${#wanted[@]} -eq 0 ] || install "${wanted[@]}" || echo "Without ${wanted[*]} there is no device xrt; the rest works." >&2
