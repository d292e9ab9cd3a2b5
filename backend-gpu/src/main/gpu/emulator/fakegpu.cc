// A driver library without a device: memory is the host's, kernels run on the emulator, misuse is counted.
//
// Compiled twice, as the CUDA driver (-DFAKE_CUDA) and as the HIP runtime (-DFAKE_HIP). Copies, fills and launches wait in
// their stream until somebody synchronises, as on a device, so that a missing synchronisation gives wrong data.
//
// Environment: FAKE_NO_DEVICE (no device), FAKE_WAVE64 (waves of 64), FAKE_FORWARD (threads in ascending order, else
// descending), FAKE_MEMORY_MIB (default 1024).
#include <cstdarg>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>

#include "fibres.h"

using u8 = unsigned char;
using u32 = unsigned int;
using u64 = unsigned long long;

#ifdef FAKE_HIP
#define PICK(cuda, hip) hip
#else
#define PICK(cuda, hip) cuda
#endif
#define API extern "C" __attribute__((visibility("default"))) int

namespace {

enum Error {
    INVALID_VALUE = 1,
    OUT_OF_MEMORY = 2,
    NO_DEVICE = 100,
    INVALID_DEVICE = 101,
    INVALID_IMAGE = 200,
    INVALID_CONTEXT = 201,
    INVALID_HANDLE = 400,
    NOT_FOUND = 500,
    ILLEGAL_ADDRESS = 700
};

enum Kind { ALLOCATION, LAUNCH, COPY, SYNCHRONISE, KINDS };

using Work = std::function<void()>;

struct Stream {
    std::deque<Work> queue;
    u64 added = 0;
    u64 done = 0;
    std::unique_ptr<std::vector<Work>> capture;
};

struct Event {
    Stream* stream = nullptr;
    u64 after = 0;
};

std::recursive_mutex lock;
std::map<u64, size_t> allocations;
std::map<u64, size_t> pinned;
std::set<Stream*> streams;
std::set<Event*> events;
Stream default_stream;
size_t used = 0;
long faults = 0;
long fail_after[KINDS];
int fail_code[KINDS];
bool fail_sticky[KINDS];
int dead = 0;
thread_local bool context_current = false;
void* const CONTEXT = reinterpret_cast<void*>(0x7a4d);

int fault(int code, const char* format, ...) {
    va_list arguments;
    va_start(arguments, format);
    std::fprintf(stderr, "fake driver: ");
    std::vfprintf(stderr, format, arguments);
    std::fprintf(stderr, "\n");
    va_end(arguments);
    faults++;
    return code;
}

bool no_device() { return std::getenv("FAKE_NO_DEVICE") != nullptr; }

size_t memory_limit() {
    const char* text = std::getenv("FAKE_MEMORY_MIB");
    return size_t(text == nullptr ? 1024 : std::atol(text)) << 20;
}

/** The code that a call shall fail with by order of a test, or 0. */
int ordered_failure(Kind kind) {
    if (dead != 0) {
        return dead;
    }
    if (fail_after[kind] == 0 || --fail_after[kind] > 0) {
        return 0;
    }
    dead = fail_sticky[kind] ? fail_code[kind] : 0;
    return fail_code[kind];
}

bool inside(const std::map<u64, size_t>& ranges, u64 address, size_t bytes) {
    auto after = ranges.upper_bound(address);
    if (after == ranges.begin()) {
        return false;
    }
    auto range = std::prev(after);
    return address + bytes <= range->first + range->second;
}

Stream* stream_of(void* handle) {
    if (handle == nullptr) {
        return &default_stream;
    }
    Stream* stream = static_cast<Stream*>(handle);
    return streams.count(stream) ? stream : nullptr;
}

void drain(Stream& stream, u64 until) {
    while (stream.done < until && !stream.queue.empty()) {
        Work work = std::move(stream.queue.front());
        stream.queue.pop_front();
        stream.done++;
        work();
    }
}

void drain_all() {
    drain(default_stream, ~0ull);
    for (Stream* stream : streams) {
        drain(*stream, ~0ull);
    }
}

void add(Stream& stream, Work work) {
    if (stream.capture) {
        stream.capture->push_back(std::move(work));
    } else {
        stream.queue.push_back(std::move(work));
        stream.added++;
    }
}

#define GUARD std::lock_guard<std::recursive_mutex> guard(lock)
#define FAIL_IF_ORDERED(kind)                  \
    if (int code = ordered_failure(kind)) {    \
        return code;                           \
    }
#define STREAM_OR_RETURN(variable, handle)                                   \
    Stream* variable = stream_of(handle);                                    \
    if (variable == nullptr) {                                               \
        return fault(INVALID_HANDLE, "unknown stream %p in %s", handle, __func__); \
    }

int allocate(u64* address, size_t bytes) {
    GUARD;
    FAIL_IF_ORDERED(ALLOCATION);
    if (!context_current) {
        return fault(INVALID_CONTEXT, "allocation without a current context");
    }
    if (bytes == 0) {
        return fault(INVALID_VALUE, "allocation of nothing");
    }
    if (used + bytes > memory_limit()) {
        return OUT_OF_MEMORY;
    }
    void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    std::memset(memory, 0xff, bytes);
    *address = reinterpret_cast<u64>(memory);
    allocations[*address] = bytes;
    used += bytes;
    return 0;
}

int release(u64 address) {
    GUARD;
    drain_all();
    auto found = allocations.find(address);
    if (found == allocations.end()) {
        return fault(INVALID_VALUE, "free of unknown device memory %llx", address);
    }
    used -= found->second;
    std::free(reinterpret_cast<void*>(address));
    allocations.erase(found);
    return dead;
}

int copy_to_device(u64 to, const void* from, size_t bytes, void* handle) {
    GUARD;
    FAIL_IF_ORDERED(COPY);
    STREAM_OR_RETURN(stream, handle);
    if (!inside(allocations, to, bytes)) {
        return fault(INVALID_VALUE, "copy of %zu bytes to %llx outside device memory", bytes, to);
    }
    void* target = reinterpret_cast<void*>(to);
    if (inside(pinned, reinterpret_cast<u64>(from), bytes)) {
        add(*stream, [=] { std::memcpy(target, from, bytes); });
    } else {
        std::vector<char> snapshot(static_cast<const char*>(from), static_cast<const char*>(from) + bytes);
        add(*stream, [=] { std::memcpy(target, snapshot.data(), bytes); });
    }
    return 0;
}

int copy_from_device(void* to, u64 from, size_t bytes, void* handle) {
    GUARD;
    FAIL_IF_ORDERED(COPY);
    STREAM_OR_RETURN(stream, handle);
    if (!inside(allocations, from, bytes)) {
        return fault(INVALID_VALUE, "copy of %zu bytes from %llx outside device memory", bytes, from);
    }
    add(*stream, [=] { std::memcpy(to, reinterpret_cast<void*>(from), bytes); });
    if (!inside(pinned, reinterpret_cast<u64>(to), bytes) && !stream->capture) {
        drain(*stream, ~0ull);
    }
    return 0;
}

int copy_on_device(u64 to, u64 from, size_t bytes, void* handle) {
    GUARD;
    FAIL_IF_ORDERED(COPY);
    STREAM_OR_RETURN(stream, handle);
    if (!inside(allocations, from, bytes) || !inside(allocations, to, bytes)) {
        return fault(INVALID_VALUE, "copy of %zu bytes from %llx to %llx outside device memory", bytes, from, to);
    }
    add(*stream, [=] { std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<void*>(from), bytes); });
    return 0;
}

template <class T>
int fill(u64 to, T value, size_t count, void* handle) {
    GUARD;
    FAIL_IF_ORDERED(COPY);
    STREAM_OR_RETURN(stream, handle);
    if (!inside(allocations, to, count * sizeof(T))) {
        return fault(INVALID_VALUE, "fill of %zu elements at %llx outside device memory", count, to);
    }
    add(*stream, [=] {
        for (size_t i = 0; i < count; i++) {
            reinterpret_cast<T*>(to)[i] = value;
        }
    });
    return 0;
}

bool accepted(const unsigned char* image) {
    bool elf = std::memcmp(image, "\x7f" "ELF", 4) == 0;
    int machine = elf ? image[18] | image[19] << 8 : 0;
#ifdef FAKE_HIP
    return std::memcmp(image, "__CLANG_OFFLOAD_BUNDLE__", 24) == 0 || machine == 224;
#else
    return std::memcmp(image, "\x50\xed\x55\xba", 4) == 0 || machine == 190 ||
           std::strstr(reinterpret_cast<const char*>(image), ".version") != nullptr;
#endif
}

struct Arguments {
    std::vector<std::vector<char>> values;
    std::vector<void*> pointers;
};

int launch(const emu::Kernel& kernel, int grid_x, int grid_y, int grid_z, int x, int y, int z, int shared, void* handle,
           void** parameters, void** extra) {
    GUARD;
    FAIL_IF_ORDERED(LAUNCH);
    STREAM_OR_RETURN(stream, handle);
    if (extra != nullptr || parameters == nullptr || grid_z != 1 || y != 1 || z != 1 || grid_x < 1 || grid_y < 1 ||
        grid_y > 65535 || x < 1 || x > kernel.most_threads || shared < 0 || shared > 49152) {
        return fault(INVALID_VALUE, "launch of grid %d,%d,%d block %d,%d,%d shared %d", grid_x, grid_y, grid_z, x, y, z,
                     shared);
    }
    auto arguments = std::make_shared<Arguments>();
    for (size_t i = 0; i < kernel.parameters.size(); i++) {
        const emu::Parameter& parameter = kernel.parameters[i];
        const char* from = static_cast<const char*>(parameters[i]);
        arguments->values.emplace_back(from, from + parameter.bytes);
        u64 address = 0;
        if (parameter.pointer) {
            std::memcpy(&address, from, 8);
        }
        if (address != 0 && !inside(allocations, address, 1)) {
            return fault(ILLEGAL_ADDRESS, "argument %zu of a kernel, %llx, is no device memory", i, address);
        }
    }
    for (auto& value : arguments->values) {
        arguments->pointers.push_back(value.data());
    }
    const emu::Kernel* code = &kernel;
    add(*stream, [=] {
        emu::launch(*code, grid_x, grid_y, x, arguments->pointers.data(), std::getenv("FAKE_FORWARD") == nullptr,
                    std::getenv("FAKE_WAVE64") == nullptr ? 32 : 64);
    });
    return 0;
}

struct Graph {
    std::vector<Work> works;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) long fake_faults() { return faults; }
extern "C" __attribute__((visibility("default"))) long fake_live() { return long(allocations.size() + pinned.size()); }
extern "C" __attribute__((visibility("default"))) void fake_reset() {
    GUARD;
    faults = 0;
    dead = 0;
    std::memset(fail_after, 0, sizeof fail_after);
}
/** Lets the n-th coming call of a kind (0 allocation, 1 launch, 2 copy, 3 synchronisation) fail; sticky: all after it too. */
extern "C" __attribute__((visibility("default"))) void fake_fail(int kind, long nth, int code, int sticky) {
    GUARD;
    fail_after[kind] = nth;
    fail_code[kind] = code;
    fail_sticky[kind] = sticky;
}

API PICK(cuInit, hipInit)(unsigned) { return no_device() ? PICK(NO_DEVICE, INVALID_DEVICE) : 0; }
API PICK(cuDriverGetVersion, hipDriverGetVersion)(int* version) {
    *version = PICK(13000, 60443484);
    return 0;
}
API PICK(cuDeviceGetCount, hipGetDeviceCount)(int* count) {
    *count = no_device() ? 0 : 1;
    return no_device() ? NO_DEVICE : 0;
}
API PICK(cuDeviceGet, hipDeviceGet)(int* device, int ordinal) {
    *device = ordinal;
    return ordinal == 0 ? 0 : INVALID_DEVICE;
}
API PICK(cuDeviceGetName, hipDeviceGetName)(char* name, int length, int device) {
    std::snprintf(name, length, "%s", PICK("Fake CUDA device", "Fake HIP device"));
    return device == 0 ? 0 : INVALID_DEVICE;
}
API PICK(cuDeviceTotalMem_v2, hipDeviceTotalMem)(size_t* bytes, int device) {
    *bytes = memory_limit();
    return device == 0 ? 0 : INVALID_DEVICE;
}
API PICK(cuDeviceGetAttribute, hipDeviceGetAttribute)(int* value, int attribute, int device) {
    int wave = std::getenv("FAKE_WAVE64") == nullptr ? 32 : 64;
    const std::map<int, int> known = {
        {PICK(16, 63), 4},      {PICK(10, 87), wave},   {PICK(8, 74), 49152}, {PICK(97, 75), 65536}, {PICK(75, 23), 9},
        {PICK(76, 61), 0},      {PICK(1, 56), 1024},    {PICK(38, 19), 4 << 20}, {PICK(37, 59), 256}, {PICK(36, 60), 1000000},
        {PICK(18, 16), 0},      {PICK(88, 65), 0}};
    auto found = known.find(attribute);
    if (found == known.end() || device != 0) {
        return fault(INVALID_VALUE, "attribute %d of device %d", attribute, device);
    }
    *value = found->second;
    return 0;
}
API PICK(cuDevicePrimaryCtxRetain, hipDevicePrimaryCtxRetain)(void** context, int device) {
    *context = CONTEXT;
    return device == 0 ? dead : INVALID_DEVICE;
}
API PICK(cuDevicePrimaryCtxRelease_v2, hipDevicePrimaryCtxRelease)(int device) {
    return device == 0 ? 0 : INVALID_DEVICE;
}
API PICK(cuCtxSetCurrent, hipCtxSetCurrent)(void* context) {
    context_current = context == CONTEXT;
    return context == CONTEXT || context == nullptr ? 0 : fault(INVALID_CONTEXT, "unknown context %p", context);
}
#ifdef FAKE_HIP
API hipSetDevice(int device) {
    context_current = device == 0;
    return device == 0 ? 0 : INVALID_DEVICE;
}
#endif
API PICK(cuCtxSynchronize, hipDeviceSynchronize)() {
    GUARD;
    FAIL_IF_ORDERED(SYNCHRONISE);
    drain_all();
    return 0;
}
API PICK(cuMemGetInfo_v2, hipMemGetInfo)(size_t* free, size_t* total) {
    GUARD;
    *total = memory_limit();
    *free = *total - used;
    return dead;
}
API PICK(cuModuleLoadData, hipModuleLoadData)(void** module, const void* image) {
    GUARD;
    if (!context_current) {
        return fault(INVALID_CONTEXT, "module without a current context");
    }
    *module = reinterpret_cast<void*>(0x30d);
    return dead != 0 ? dead : accepted(static_cast<const unsigned char*>(image)) ? 0 : INVALID_IMAGE;
}
API PICK(cuModuleUnload, hipModuleUnload)(void*) { return dead; }
API PICK(cuModuleGetFunction, hipModuleGetFunction)(const void** function, void*, const char* name) {
    auto found = emu::kernels().find(name);
    if (found == emu::kernels().end()) {
        return NOT_FOUND;
    }
    *function = &found->second;
    return 0;
}
API PICK(cuMemAlloc_v2, hipMalloc)(u64* address, size_t bytes) { return allocate(address, bytes); }
API PICK(cuMemFree_v2, hipFree)(u64 address) { return release(address); }
API PICK(cuMemHostAlloc, hipHostMalloc)(void** memory, size_t bytes, unsigned) {
    GUARD;
    FAIL_IF_ORDERED(ALLOCATION);
    if (!context_current) {
        return fault(INVALID_CONTEXT, "pinned allocation without a current context");
    }
    *memory = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    pinned[reinterpret_cast<u64>(*memory)] = bytes;
    return 0;
}
API PICK(cuMemFreeHost, hipHostFree)(void* memory) {
    GUARD;
    drain_all();
    if (pinned.erase(reinterpret_cast<u64>(memory)) == 0) {
        return fault(INVALID_VALUE, "free of unknown pinned memory %p", memory);
    }
    std::free(memory);
    return dead;
}
API PICK(cuMemHostRegister_v2, hipHostRegister)(void* memory, size_t bytes, unsigned) {
    GUARD;
    pinned[reinterpret_cast<u64>(memory)] = bytes;
    return dead;
}
API PICK(cuMemHostUnregister, hipHostUnregister)(void* memory) {
    GUARD;
    drain_all();
    return pinned.erase(reinterpret_cast<u64>(memory)) == 0 ? fault(INVALID_VALUE, "unregister of %p", memory) : dead;
}
API PICK(cuMemcpyHtoDAsync_v2, hipMemcpyHtoDAsync)(u64 to, const void* from, size_t bytes, void* stream) {
    return copy_to_device(to, from, bytes, stream);
}
API PICK(cuMemcpyDtoHAsync_v2, hipMemcpyDtoHAsync)(void* to, u64 from, size_t bytes, void* stream) {
    return copy_from_device(to, from, bytes, stream);
}
API PICK(cuMemcpyDtoDAsync_v2, hipMemcpyDtoDAsync)(u64 to, u64 from, size_t bytes, void* stream) {
    return copy_on_device(to, from, bytes, stream);
}
API PICK(cuMemsetD32Async, hipMemsetD32Async)(u64 to, unsigned value, size_t count, void* stream) {
    return fill<u32>(to, value, count, stream);
}
API PICK(cuMemsetD8Async, hipMemsetD8Async)(u64 to, unsigned char value, size_t count, void* stream) {
    return fill<u8>(to, value, count, stream);
}
API PICK(cuStreamCreate, hipStreamCreateWithFlags)(void** handle, unsigned) {
    GUARD;
    Stream* stream = new Stream();
    streams.insert(stream);
    *handle = stream;
    return dead;
}
API PICK(cuStreamDestroy_v2, hipStreamDestroy)(void* handle) {
    GUARD;
    STREAM_OR_RETURN(stream, handle);
    drain(*stream, ~0ull);
    streams.erase(stream);
    delete stream;
    return dead;
}
API PICK(cuStreamSynchronize, hipStreamSynchronize)(void* handle) {
    GUARD;
    FAIL_IF_ORDERED(SYNCHRONISE);
    STREAM_OR_RETURN(stream, handle);
    drain(*stream, ~0ull);
    return 0;
}
API PICK(cuStreamQuery, hipStreamQuery)(void* handle) {
    GUARD;
    STREAM_OR_RETURN(stream, handle);
    return dead != 0 ? dead : stream->queue.empty() ? 0 : 600;
}
API PICK(cuLaunchKernel, hipModuleLaunchKernel)(const void* function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                                                unsigned x, unsigned y, unsigned z, unsigned shared, void* stream,
                                                void** parameters, void** extra) {
    return launch(*static_cast<const emu::Kernel*>(function), grid_x, grid_y, grid_z, x, y, z, shared, stream, parameters,
                  extra);
}
API PICK(cuFuncGetAttribute, hipFuncGetAttribute)(int* value, int attribute, const void* function) {
    *value = attribute == 0 ? static_cast<const emu::Kernel*>(function)->most_threads : 0;
    return 0;
}
API PICK(cuStreamWaitEvent, hipStreamWaitEvent)(void* handle, void* event, unsigned) {
    GUARD;
    STREAM_OR_RETURN(stream, handle);
    Event found = *static_cast<Event*>(event);
    add(*stream, [=] {
        if (found.stream != nullptr) {
            drain(*found.stream, found.after);
        }
    });
    return dead;
}
API PICK(cuEventCreate, hipEventCreateWithFlags)(void** event, unsigned) {
    GUARD;
    Event* created = new Event();
    events.insert(created);
    *event = created;
    return dead;
}
API PICK(cuEventDestroy_v2, hipEventDestroy)(void* event) {
    GUARD;
    if (events.erase(static_cast<Event*>(event)) == 0) {
        return fault(INVALID_HANDLE, "unknown event %p", event);
    }
    delete static_cast<Event*>(event);
    return dead;
}
API PICK(cuEventRecord, hipEventRecord)(void* event, void* handle) {
    GUARD;
    STREAM_OR_RETURN(stream, handle);
    *static_cast<Event*>(event) = {stream, stream->added};
    return dead;
}
API PICK(cuEventSynchronize, hipEventSynchronize)(void* event) {
    GUARD;
    FAIL_IF_ORDERED(SYNCHRONISE);
    Event* found = static_cast<Event*>(event);
    if (found->stream != nullptr) {
        drain(*found->stream, found->after);
    }
    return 0;
}
API PICK(cuEventQuery, hipEventQuery)(void* event) {
    GUARD;
    Event* found = static_cast<Event*>(event);
    return dead != 0 ? dead : found->stream == nullptr || found->stream->done >= found->after ? 0 : 600;
}
API PICK(cuEventElapsedTime, hipEventElapsedTime)(float* milliseconds, void*, void*) {
    *milliseconds = 0.001f;
    return dead;
}
API PICK(cuStreamBeginCapture_v2, hipStreamBeginCapture)(void* handle, int) {
    GUARD;
    STREAM_OR_RETURN(stream, handle);
    stream->capture = std::make_unique<std::vector<Work>>();
    return dead;
}
API PICK(cuStreamEndCapture, hipStreamEndCapture)(void* handle, void** graph) {
    GUARD;
    STREAM_OR_RETURN(stream, handle);
    if (!stream->capture) {
        return fault(INVALID_VALUE, "end of a capture that never began");
    }
    *graph = new Graph{std::move(*stream->capture)};
    stream->capture.reset();
    return dead;
}
API PICK(cuGraphInstantiateWithFlags, hipGraphInstantiateWithFlags)(void** executable, void* graph, u64) {
    *executable = new Graph(*static_cast<Graph*>(graph));
    return dead;
}
API PICK(cuGraphLaunch, hipGraphLaunch)(void* executable, void* handle) {
    GUARD;
    FAIL_IF_ORDERED(LAUNCH);
    STREAM_OR_RETURN(stream, handle);
    for (const Work& work : static_cast<Graph*>(executable)->works) {
        add(*stream, work);
    }
    return 0;
}
API PICK(cuGraphExecDestroy, hipGraphExecDestroy)(void* executable) {
    delete static_cast<Graph*>(executable);
    return dead;
}
API PICK(cuGraphDestroy, hipGraphDestroy)(void* graph) {
    delete static_cast<Graph*>(graph);
    return dead;
}

static const char* error_name(int code) {
    static const std::map<int, const char*> names = {
        {0, PICK("CUDA_SUCCESS", "hipSuccess")},
        {1, PICK("CUDA_ERROR_INVALID_VALUE", "hipErrorInvalidValue")},
        {2, PICK("CUDA_ERROR_OUT_OF_MEMORY", "hipErrorOutOfMemory")},
        {100, PICK("CUDA_ERROR_NO_DEVICE", "hipErrorNoDevice")},
        {101, PICK("CUDA_ERROR_INVALID_DEVICE", "hipErrorInvalidDevice")},
        {200, PICK("CUDA_ERROR_INVALID_IMAGE", "hipErrorInvalidImage")},
        {201, PICK("CUDA_ERROR_INVALID_CONTEXT", "hipErrorInvalidContext")},
        {400, PICK("CUDA_ERROR_INVALID_HANDLE", "hipErrorInvalidHandle")},
        {500, PICK("CUDA_ERROR_NOT_FOUND", "hipErrorNotFound")},
        {700, PICK("CUDA_ERROR_ILLEGAL_ADDRESS", "hipErrorIllegalAddress")},
        {719, PICK("CUDA_ERROR_LAUNCH_FAILED", "hipErrorLaunchFailure")}};
    auto found = names.find(code);
    return found == names.end() ? PICK("CUDA_ERROR_UNKNOWN", "hipErrorUnknown") : found->second;
}
#ifdef FAKE_HIP
extern "C" __attribute__((visibility("default"))) const char* hipGetErrorName(int code) { return error_name(code); }
#else
API cuGetErrorName(int code, const char** name) {
    *name = error_name(code);
    return 0;
}
#endif
