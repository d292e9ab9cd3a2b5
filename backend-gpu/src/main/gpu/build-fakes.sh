#!/bin/sh
# Builds the fake drivers, which run the kernels on the emulator: sh build-fakes.sh OUTPUT_FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1/cuda" "$1/hip"
case $(uname -m) in
    x86_64) fast="-mfma -mf16c" ;;
    *) fast= ;;
esac
flags="-std=c++17 -O2 $fast -ffp-contract=off -Wall -DGPU_EMU -fPIC"
kernels="$1/kernels.$$.o"
trap 'rm -f "$kernels"' EXIT
${CXX:-g++} $flags -x c++ -c -o "$kernels" "$here/kernels/kernels.cu"
build() {
    ${CXX:-g++} $flags -shared "-DFAKE_$1" "-Wl,-soname,$(basename "$2")" -o "$2" "$here/emulator/fakegpu.cc" "$kernels"
}
build CUDA "$1/cuda/libcuda.so.1"
build HIP "$1/hip/libamdhip64.so.6"
