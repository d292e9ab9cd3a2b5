// NVIDIA: nvcc, and bare clang for PTX that older drivers take.
#pragma once

#ifdef __clang__
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define DEVICE static __attribute__((device, always_inline)) inline
#define DEVICE_MEMBER __attribute__((device, always_inline)) inline
#define OUTLINE static __attribute__((device, noinline))
#define KERNEL(name, threads, parameters) \
    extern "C" __attribute__((global, launch_bounds(threads))) void name parameters
#else
#define DEVICE static __device__ __forceinline__
#define DEVICE_MEMBER __device__ __forceinline__
#define OUTLINE DEVICE
#define KERNEL(name, threads, parameters) extern "C" __global__ void __launch_bounds__(threads) name parameters
#endif
#define SCHEDULING_FENCE
#define SHARED(type, name, count) __shared__ type name[count] __attribute__((aligned(16)))

#ifdef __clang__
DEVICE int thread() { return __nvvm_read_ptx_sreg_tid_x(); }
DEVICE int block_x() { return __nvvm_read_ptx_sreg_ctaid_x(); }
DEVICE int block_y() { return __nvvm_read_ptx_sreg_ctaid_y(); }
DEVICE int block_size() { return __nvvm_read_ptx_sreg_ntid_x(); }
DEVICE void barrier() { __syncthreads(); }
DEVICE f32 multiply_add(f32 a, f32 b, f32 c) { return __nvvm_fma_rn_f(a, b, c); }
DEVICE f32 square_root(f32 x) { return __nvvm_sqrt_rn_f(x); }
#else
DEVICE int thread() { return threadIdx.x; }
DEVICE int block_x() { return blockIdx.x; }
DEVICE int block_y() { return blockIdx.y; }
DEVICE int block_size() { return blockDim.x; }
DEVICE void barrier() { __syncthreads(); }
DEVICE f32 multiply_add(f32 a, f32 b, f32 c) { return __fmaf_rn(a, b, c); }
DEVICE f32 square_root(f32 x) { return __fsqrt_rn(x); }
#endif

DEVICE int lane() { return thread() & 31; }

template <int MASK>
DEVICE u32 shuffle_xor(u32 v) {
#ifdef __clang__
    return __nvvm_shfl_sync_bfly_i32(~0u, v, MASK, 31);
#else
    return __shfl_xor_sync(~0u, v, MASK);
#endif
}

DEVICE u32 shuffle(u32 v, int source) {
#ifdef __clang__
    return __nvvm_shfl_sync_idx_i32(~0u, v, source, 31);
#else
    return __shfl_sync(~0u, v, source);
#endif
}

DEVICE i32 dot4(u32 a, u32 b, i32 c) {
    asm("dp4a.s32.s32 %0, %1, %2, %0;" : "+r"(c) : "r"(a), "r"(b));
    return c;
}

DEVICE f32 half_to_float(u16 h) {
    f32 x;
    asm("cvt.f32.f16 %0, %1;" : "=f"(x) : "h"(h));
    return x;
}

DEVICE u16 float_to_half(f32 x) {
    u16 h;
    asm("cvt.rn.f16.f32 %0, %1;" : "=h"(h) : "f"(x));
    return h;
}

/** Asks for the cache line of an address. */
DEVICE void prefetch(const void* p) { asm volatile("prefetch.global.L2 [%0];" : : "l"(p)); }

/** Loads what no other block reads again. */
DEVICE u32x4 load_once(const u32x4* p) {
    u32x4 x;
    asm volatile("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(x.v[0]), "=r"(x.v[1]), "=r"(x.v[2]), "=r"(x.v[3])
                 : "l"(p));
    return x;
}

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
#define MATRIX_UNIT
DEVICE void multiply_16x8x32(i32 (&c)[4], const u32 (&a)[4], u32x2 b) {
    asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b.v[0]), "r"(b.v[1]));
}

DEVICE void multiply_16x8x16(i32 (&c)[4], u32 a0, u32 a1, u32 b) {
    asm("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
        : "+r"(c[0]), "+r"(c[1]), "+r"(c[2]), "+r"(c[3])
        : "r"(a0), "r"(a1), "r"(b));
}
#elif defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 750
#define MATRIX_UNIT
DEVICE void multiply_8x8x16(i32& c0, i32& c1, u32 a, u32 b) {
    asm("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
        : "+r"(c0), "+r"(c1)
        : "r"(a), "r"(b));
}

DEVICE void multiply_16x8x16(i32 (&c)[4], u32 a0, u32 a1, u32 b) {
    multiply_8x8x16(c[0], c[1], a0, b);
    multiply_8x8x16(c[2], c[3], a1, b);
}

DEVICE void multiply_16x8x32(i32 (&c)[4], const u32 (&a)[4], u32x2 b) {
    multiply_16x8x16(c, a[0], a[1], b.v[0]);
    multiply_16x8x16(c, a[2], a[3], b.v[1]);
}
#endif
