#!/bin/sh
# Builds the harness, the fake drivers and the emulator's own checks: sh build-harness.sh OUTPUT_FOLDER
#
# Then: OUTPUT_FOLDER/selftest
#       OUTPUT_FOLDER/harness libcuda.so.1 IMAGE OUTPUT_FOLDER/fakes/cuda/libcuda.so.1 all
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
sh "$here/build-fakes.sh" "$1/fakes"
case $(uname -m) in
    x86_64) fast="-mfma -mf16c" ;;
    *) fast= ;;
esac
${CXX:-g++} -std=c++17 -O1 $fast -ffp-contract=off -Wall -o "$1/harness" "$here/harness/harness.cc" -ldl
${CXX:-g++} -std=c++17 -O2 $fast -ffp-contract=off -Wall -DGPU_EMU -o "$1/selftest" "$here/emulator/selftest.cc"
