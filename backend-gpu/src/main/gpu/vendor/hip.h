// AMD: bare clang, no headers and no device libraries.
#pragma once

#define __shared__ __attribute__((shared))
#define DEVICE static __attribute__((device, always_inline)) inline
#define KERNEL(name, threads, parameters)                                                          \
    extern "C" __attribute__((global, amdgpu_flat_work_group_size(1, threads))) void name parameters
#define DEVICE_MEMBER __attribute__((device, always_inline)) inline
#define OUTLINE DEVICE
/** Keeps the compiler from moving many shuffles together, which costs registers. */
#define SCHEDULING_FENCE __builtin_amdgcn_sched_barrier(0)
#define SHARED(type, name, count) __shared__ type name[count] __attribute__((aligned(16)))

DEVICE int thread() { return __builtin_amdgcn_workitem_id_x(); }
DEVICE int block_x() { return __builtin_amdgcn_workgroup_id_x(); }
DEVICE int block_y() { return __builtin_amdgcn_workgroup_id_y(); }
DEVICE int block_size() { return __builtin_amdgcn_workgroup_size_x(); }

DEVICE void barrier() {
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "workgroup");
    __builtin_amdgcn_s_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "workgroup");
}

DEVICE int wave_lane() { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)); }
DEVICE int lane() { return wave_lane() & 31; }

template <int MASK>
DEVICE u32 shuffle_xor(u32 v) {
    return __builtin_amdgcn_ds_bpermute((wave_lane() ^ MASK) << 2, v);
}

DEVICE u32 shuffle(u32 v, int source) {
    return __builtin_amdgcn_ds_bpermute(((wave_lane() & ~31) | source) << 2, v);
}

DEVICE i32 dot4(u32 a, u32 b, i32 c) {
#if defined(__gfx906__) || defined(__gfx908__) || defined(__gfx90a__) || defined(__gfx942__) || defined(__gfx1030__)
    return __builtin_amdgcn_sdot4(a, b, c, false);
#elif defined(__GFX11__) || defined(__GFX12__)
    return __builtin_amdgcn_sudot4(true, a, true, b, c, false);
#else
    for (int shift = 0; shift < 32; shift += 8) {
        c += i32(i8(a >> shift)) * i32(i8(b >> shift));
    }
    return c;
#endif
}

DEVICE f32 multiply_add(f32 a, f32 b, f32 c) { return __builtin_fmaf(a, b, c); }
DEVICE f32 square_root(f32 x) { return __builtin_sqrtf(x); }

DEVICE f32 half_to_float(u16 h) {
    _Float16 x;
    __builtin_memcpy(&x, &h, 2);
    return x;
}

DEVICE u16 float_to_half(f32 x) {
    _Float16 y = x;
    u16 h;
    __builtin_memcpy(&h, &y, 2);
    return h;
}

/** Asks for the cache line of an address. */
DEVICE void prefetch(const void* p) { __builtin_prefetch(p); }

/** Loads what no other block reads again. */
DEVICE u32x4 load_once(const u32x4* p) { return *p; }
