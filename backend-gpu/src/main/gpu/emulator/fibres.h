// Runs the threads of a block as fibres on one CPU thread, and finds misuse of barriers and warp operations.
//
// Blocks run one after another. A wave runs to its next block barrier before the next wave starts; in a wave each lane
// runs to its next warp operation, then all lanes step again. One launch per process at a time.
#pragma once

#include <sys/mman.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>
#ifndef __x86_64__
#include <ucontext.h>
#endif

namespace emu {

constexpr int MOST_THREADS = 1024;
constexpr size_t STACK_BYTES = 64 << 10;
constexpr size_t SHARED_BYTES = 48 << 10;
constexpr int EXCHANGE_WORDS = 8;

enum class State { RUNNING, WARP_OPERATION, BARRIER, DONE };

#ifdef __x86_64__
using Context = void*;
extern "C" void emu_switch(void** from, void* to);
asm(R"(
    .text
    .local emu_switch
    .type emu_switch, @function
emu_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
)");
inline void switch_context(Context& from, Context& to) { emu_switch(&from, to); }
#else
using Context = ucontext_t;
inline void switch_context(Context& from, Context& to) { swapcontext(&from, &to); }
#endif

struct Fibre {
    Context context;
    int thread;
    State state;
    uint64_t operations;
    size_t shared_used;
    uint32_t words[2][EXCHANGE_WORDS];
};

inline Fibre fibres[MOST_THREADS];
inline Fibre* current = nullptr;
inline Context scheduler;
inline int block_x, block_y, block_size;
inline char* stacks = nullptr;
alignas(64) inline unsigned char shared_memory[SHARED_BYTES];
inline void (*body)(void**) = nullptr;
inline void** body_parameters = nullptr;

[[noreturn]] inline void misuse(const char* what, int thread) {
    std::fprintf(stderr, "emulator: %s: block %d,%d thread %d\n", what, block_x, block_y, thread);
    std::abort();
}

inline void wait(State state) {
    current->state = state;
    switch_context(current->context, scheduler);
}

inline void barrier() { wait(State::BARRIER); }

/** Shared memory: every thread of a block asks for the same sizes in the same order. */
inline void* shared(size_t bytes) {
    size_t at = current->shared_used;
    current->shared_used += (bytes + 15) / 16 * 16;
    if (current->shared_used > SHARED_BYTES) {
        misuse("more than 48 KiB of shared memory", current->thread);
    }
    return shared_memory + at;
}

/** What a lane of the own group of 32 gave to the current warp operation. */
inline const uint32_t* exchanged(int lane) {
    int source = (current->thread & ~31) + lane;
    uint64_t ahead = source < block_size ? fibres[source].operations - current->operations : ~0ull;
    if (ahead > 1) {
        misuse("a warp operation reads a lane that took no part", current->thread);
    }
    return fibres[source].words[current->operations & 1];
}

/** Gives words to the warp and returns those of a lane. */
inline const uint32_t* exchange(const uint32_t* words, int count, int lane) {
    current->operations++;
    std::memcpy(current->words[current->operations & 1], words, 4 * count);
    wait(State::WARP_OPERATION);
    return exchanged(lane);
}

inline void fibre_main() {
    body(body_parameters);
    wait(State::DONE);
    misuse("a finished thread ran on", current->thread);
}

inline void start(Fibre& fibre, int thread) {
    fibre.thread = thread;
    fibre.state = State::RUNNING;
    fibre.operations = 0;
    fibre.shared_used = 0;
    char* top = stacks + (thread + 1) * STACK_BYTES;
#ifdef __x86_64__
    void** frame = reinterpret_cast<void**>(top - 64);
    *frame = reinterpret_cast<void*>(&fibre_main);
    fibre.context = frame - 6;
#else
    getcontext(&fibre.context);
    fibre.context.uc_stack.ss_sp = top - STACK_BYTES;
    fibre.context.uc_stack.ss_size = STACK_BYTES;
    fibre.context.uc_link = nullptr;
    makecontext(&fibre.context, &fibre_main, 0);
#endif
}

/** Lets each lane of a wave run to its next stop; returns whether a warp operation is open. */
inline bool step_wave(int first, int count, bool reverse) {
    bool open = false;
    for (int i = 0; i < count; i++) {
        Fibre& fibre = fibres[first + (reverse ? count - 1 - i : i)];
        if (fibre.state == State::RUNNING || fibre.state == State::WARP_OPERATION) {
            current = &fibre;
            fibre.state = State::RUNNING;
            switch_context(scheduler, fibre.context);
            open |= fibre.state == State::WARP_OPERATION;
        }
    }
    return open;
}

inline void check_groups(int first, int count) {
    for (int group = first; group < first + count; group += 32) {
        bool at_barrier = false;
        bool in_operation = false;
        for (int i = group; i < group + 32 && i < first + count; i++) {
            at_barrier |= fibres[i].state == State::BARRIER;
            in_operation |= fibres[i].state == State::WARP_OPERATION;
        }
        if (at_barrier && in_operation) {
            misuse("a group of 32 stands partly at a barrier, partly in a warp operation", group);
        }
    }
}

inline void run_block(bool reverse, int width) {
    std::memset(shared_memory, 0xff, SHARED_BYTES);
    for (int i = 0; i < block_size; i++) {
        start(fibres[i], i);
    }
    int waves = (block_size + width - 1) / width;
    for (bool alive = true; alive;) {
        for (int wave = 0; wave < waves; wave++) {
            int first = (reverse ? waves - 1 - wave : wave) * width;
            int count = block_size - first < width ? block_size - first : width;
            while (step_wave(first, count, reverse)) {
                check_groups(first, count);
            }
        }
        alive = false;
        for (int i = 0; i < block_size; i++) {
            if (fibres[i].state == State::BARRIER) {
                fibres[i].state = State::RUNNING;
                alive = true;
            }
        }
    }
}

struct Parameter {
    size_t bytes;
    bool pointer;
};

struct Kernel {
    int most_threads;
    std::vector<Parameter> parameters;
    void (*invoke)(void**, void (*)());
    void (*function)();
};

inline std::map<std::string, Kernel>& kernels() {
    static std::map<std::string, Kernel> all;
    return all;
}

struct Registration {
    template <class... P>
    Registration(const char* name, int threads, void (*function)(P...)) {
        kernels()[name] = {threads,
                           {{sizeof(P), std::is_pointer<P>::value}...},
                           [](void** values, void (*f)()) {
                               call(values, reinterpret_cast<void (*)(P...)>(f), std::index_sequence_for<P...>());
                           },
                           reinterpret_cast<void (*)()>(function)};
    }

    template <class... P, size_t... I>
    static void call(void** values, void (*function)(P...), std::index_sequence<I...>) {
        function(*static_cast<P*>(values[I])...);
    }
};

inline const Kernel* launched = nullptr;

/** Runs a kernel; values point to its arguments. Order 1 reverses waves and lanes; width is 32 or 64. */
inline void launch(const Kernel& kernel, int grid_x, int grid_y, int block, void** values, bool reverse, int width) {
    if (stacks == nullptr) {
        stacks = static_cast<char*>(mmap(nullptr, MOST_THREADS * STACK_BYTES, PROT_READ | PROT_WRITE,
                                         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0));
    }
    launched = &kernel;
    body = [](void** parameters) { launched->invoke(parameters, launched->function); };
    body_parameters = values;
    block_size = block;
    for (block_y = 0; block_y < grid_y; block_y++) {
        for (block_x = 0; block_x < grid_x; block_x++) {
            run_block(reverse, width);
        }
    }
}

}  // namespace emu
