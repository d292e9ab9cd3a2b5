#!/bin/sh
# Builds the kernel images that the jars carry: sh build-kernels.sh [OUTPUT_FOLDER]
#
# Needs nvcc 13.0 and clang-19, clang-tools-19, lld-19, llvm-19 (Debian packages of these names). What one of them makes is skipped, and
# said so, where it is absent. Images do not depend on the folder and are the same in every run.
set -eu
LC_ALL=C
export LC_ALL
here=$(cd "$(dirname "$0")" && pwd)
out=${1:-$here/../resources/kernels}
mkdir -p "$out"
out=$(cd "$out" && pwd)
cd "$here"
source=kernels/kernels.cu
cuda_archs="75 80 86 89 90 100 120"
hip_archs="gfx906 gfx908 gfx90a gfx942 gfx1010 gfx1030 gfx1100 gfx1101 gfx1102 gfx1103 gfx1150 gfx1151 gfx1200 gfx1201"
have() {
    command -v "$1" >/dev/null 2>&1 || { echo "build-kernels: no $1, its images are left as they are" >&2; return 1; }
}

if have nvcc; then
    codes=
    for a in $cuda_archs; do codes="$codes -gencode arch=compute_$a,code=sm_$a"; done
    nvcc -fatbin -std=c++17 -O3 -fmad=false --compress-mode=size --threads 0 $codes \
        -gencode arch=compute_75,code=compute_75 -gencode arch=compute_120,code=compute_120 -o "$out/cuda.fatbin" $source
fi
if have clang-19; then
    clang-19 -x cuda $source --cuda-device-only --cuda-gpu-arch=sm_61 -nocudainc -nocudalib --cuda-feature=+ptx63 \
        -std=c++17 -ffp-contract=off -Wno-unknown-cuda-version -Wno-pass-failed -S -O3 -o "$out/cuda.ptx"
    if grep -qE '\.approx|\.ftz' "$out/cuda.ptx"; then
        echo "build-kernels: cuda.ptx has approximate operations" >&2
        exit 1
    fi
    archs=
    for a in $hip_archs; do archs="$archs --offload-arch=$a"; done
    clang-19 -x hip $source --offload-device-only $archs -std=c++17 -O3 -ffp-contract=off -nogpuinc -nogpulib \
        --gpu-bundle-output -mcode-object-version=5 -fuse-cuid=none -Wno-pass-failed -o "$out/hip.hipfb"
    one=$(mktemp)
    trap 'rm -f "$one"' EXIT
    clang-19 -x hip $source --offload-device-only --offload-arch=gfx1100 -std=c++17 -O1 -ffp-contract=off -nogpuinc \
        -nogpulib --no-gpu-bundle-output -mcode-object-version=5 -fuse-cuid=none -Wno-pass-failed -o "$one"
fi

# The hash of the sources, the compilers, and of every kernel the offset and size of each argument.
{
    echo "sources $(find kernels vendor -type f | sort | xargs cat | sha256sum | cut -d' ' -f1)"
    if command -v nvcc >/dev/null; then nvcc --version | grep release | sed 's/^/nvcc /'; fi
    if command -v clang-19 >/dev/null; then
        clang-19 --version | head -1 | sed 's/^/clang /'
        llvm-readelf-19 --notes "$one" | awk '
            /^ *- *\.address_space:|^ *- *\.offset:/ { offset = ""; size = ""; kind = "" }
            /\.offset:/ { offset = $NF }
            /\.size:/ { size = $NF }
            /\.value_kind:/ { if ($NF !~ /^hidden/) list = list " " offset ":" size }
            /^ *\.name:/ { name = $NF }
            /\.symbol:/ { print "kernel " name list; list = "" }' | sort
    fi
} >"$out/kernels.manifest"

# Compressed without names and times, so that equal images are equal files.
for image in cuda.fatbin cuda.ptx hip.hipfb; do
    if [ -f "$out/$image" ]; then
        gzip -9 -n -f "$out/$image"
    fi
done
