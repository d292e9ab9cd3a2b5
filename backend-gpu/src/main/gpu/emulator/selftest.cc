// Checks that the emulator finds what would go wrong on a device: each check breaks one rule on purpose.
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "../vendor/vendor.h"

// The sum of a block's numbers by way of shared memory; without its barrier threads read what is not there yet.
template <bool BARRIER>
static void exchange_by_memory(const u32* x, u32* y) {
    SHARED(u32, numbers, 256);
    numbers[thread()] = x[thread()];
    if (BARRIER) {
        barrier();
    }
    y[thread()] = numbers[block_size() - 1 - thread()];
}

KERNEL(with_barrier, 256, (const u32* x, u32* y)) { exchange_by_memory<true>(x, y); }
KERNEL(without_barrier, 256, (const u32* x, u32* y)) { exchange_by_memory<false>(x, y); }

KERNEL(shuffled, 256, (const u32* x, u32* y)) { y[thread()] = shuffle_xor<16>(shuffle(x[thread()], lane() ^ 3)); }

KERNEL(leaves_before_shuffle, 256, (const u32* x, u32* y)) {
    if (lane() != 5) {
        y[thread()] = shuffle_xor<1>(x[thread()]);
    }
}

KERNEL(divergent_barrier, 256, (const u32* x, u32* y)) {
    if (lane() < 16) {
        barrier();
    }
    y[thread()] = shuffle_xor<16>(x[thread()]);
    if (lane() >= 16) {
        barrier();
    }
}

KERNEL(reads_unset_memory, 256, (const u32*, u32* y)) {
    SHARED(u32, numbers, 256);
    y[thread()] = numbers[thread()];
}

static u32 x[256];
static u32 y[256];

static void run(const char* kernel, int block, bool reverse, int width) {
    const u32* from = x;
    u32* to = y;
    void* values[] = {&from, &to};
    emu::launch(emu::kernels().at(kernel), 1, 1, block, values, reverse, width);
}

static bool aborts(const char* kernel) {
    pid_t child = fork();
    if (child == 0) {
        std::freopen("/dev/null", "w", stderr);
        run(kernel, 64, false, 32);
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
}

static bool mirrored() {
    for (int i = 0; i < 256; i++) {
        if (y[i] != x[255 - i]) {
            return false;
        }
    }
    return true;
}

static int failures = 0;

static void expect(const char* what, bool holds) {
    std::printf("%-60s %s\n", what, holds ? "ok" : "FAILED");
    failures += !holds;
}

int main() {
    for (u32 i = 0; i < 256; i++) {
        x[i] = 1000 + i;
    }
    for (int width : {32, 64}) {
        for (bool reverse : {false, true}) {
            run("with_barrier", 256, reverse, width);
            expect("a barrier makes writes visible", mirrored());
            run("without_barrier", 256, reverse, width);
            expect("a missing barrier gives wrong results", !mirrored());
            run("shuffled", 256, reverse, width);
            bool right = true;
            for (int i = 0; i < 256; i++) {
                right &= y[i] == x[i ^ 16 ^ 3];
            }
            expect("shuffles read the lanes that they name", right);
            run("reads_unset_memory", 256, reverse, width);
            expect("shared memory begins as ones", y[7] == ~0u);
        }
    }
    expect("a lane that left before a shuffle aborts", aborts("leaves_before_shuffle"));
    expect("a barrier in one half of a warp aborts", aborts("divergent_barrier"));
    return failures == 0 ? 0 : 1;
}
