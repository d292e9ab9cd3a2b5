#!/bin/sh
# Builds the harness and the fake drivers: sh build-harness.sh OUTPUT_FOLDER
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
sh "$here/build-fakes.sh" "$1/fakes"
case $(uname -m) in
    x86_64) fast="-mfma -mf16c" ;;
    *) fast= ;;
esac
${CXX:-g++} -std=c++17 -O1 $fast -ffp-contract=off -Wall -o "$1/harness" "$here/harness/harness.cc" -ldl
