// The CUDA driver's entry points that the harness needs, from a library opened by path.
#pragma once

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

using u8 = unsigned char;
using i8 = signed char;
using u16 = unsigned short;
using i16 = short;
using u32 = unsigned int;
using i32 = int;
using u64 = unsigned long long;
using f32 = float;

class Driver {
  public:
    Driver(const char* path, const std::vector<char>& image) {
        library_ = dlopen(path, RTLD_NOW | RTLD_LOCAL);
        if (library_ == nullptr) {
            std::fprintf(stderr, "%s\n", dlerror());
            std::exit(2);
        }
        call("cuInit", 0u);
        int device = 0;
        call("cuDeviceGet", &device, 0);
        void* context = nullptr;
        call("cuDevicePrimaryCtxRetain", &context, device);
        call("cuCtxSetCurrent", context);
        context_ = context;
        call("cuModuleLoadData", &module_, image.data());
        call("cuStreamCreate", &stream_, 1u);
    }

    std::string name() {
        char text[256] = "";
        call("cuDeviceGetName", text, 256, 0);
        return text;
    }
    int version() {
        int v = 0;
        call("cuDriverGetVersion", &v);
        return v;
    }
    u64 allocate(size_t bytes) {
        call("cuCtxSetCurrent", context_);
        u64 at = 0;
        call("cuMemAlloc_v2", &at, bytes);
        return at;
    }
    void release(u64 at) { call("cuMemFree_v2", at); }
    void fill(u64 at, int value, size_t bytes) {
        call("cuMemsetD8Async", at, static_cast<unsigned char>(value), bytes, stream_);
    }
    void upload(u64 to, const void* from, size_t bytes) {
        call("cuCtxSetCurrent", context_);
        call("cuMemcpyHtoDAsync_v2", to, from, bytes, stream_);
        synchronise();
    }
    void download(void* to, u64 from, size_t bytes) {
        call("cuCtxSetCurrent", context_);
        call("cuMemcpyDtoHAsync_v2", to, from, bytes, stream_);
        synchronise();
    }
    void synchronise() { call("cuStreamSynchronize", stream_); }

    void launch(const std::string& kernel, int x, int y, int block, void** arguments) {
        call("cuCtxSetCurrent", context_);
        void*& f = functions_[kernel];
        if (f == nullptr) {
            call("cuModuleGetFunction", &f, module_, kernel.c_str());
        }
        call("cuLaunchKernel", f, unsigned(x), unsigned(y), 1u, unsigned(block), 1u, 1u, 0u, stream_, arguments,
             static_cast<void**>(nullptr));
    }

    /** Microseconds of one launch in a graph that holds `launches` of them; the best of some replays. */
    template <class F>
    double time(int launches, F body) {
        void* graph = nullptr;
        void* executable = nullptr;
        body(0);
        synchronise();
        call("cuStreamBeginCapture_v2", stream_, 2);
        for (int i = 0; i < launches; i++) {
            body(i);
        }
        call("cuStreamEndCapture", stream_, &graph);
        call("cuGraphInstantiateWithFlags", &executable, graph, u64(0));
        void* from = nullptr;
        void* to = nullptr;
        call("cuEventCreate", &from, 0u);
        call("cuEventCreate", &to, 0u);
        std::vector<double> times;
        for (int i = 0; i < 9; i++) {
            call("cuEventRecord", from, stream_);
            call("cuGraphLaunch", executable, stream_);
            call("cuEventRecord", to, stream_);
            synchronise();
            float ms = 0;
            call("cuEventElapsedTime", &ms, from, to);
            times.push_back(1000.0 * ms / launches);
        }
        call("cuEventDestroy_v2", from);
        call("cuEventDestroy_v2", to);
        call("cuGraphExecDestroy", executable);
        call("cuGraphDestroy", graph);
        std::sort(times.begin(), times.end());
        return times[times.size() / 2];
    }

  private:
    template <class... A>
    void call(const char* name, A... arguments) {
        void*& f = symbols_[name];
        if (f == nullptr) {
            f = dlsym(library_, name);
        }
        int code = f == nullptr ? -1 : reinterpret_cast<int (*)(A...)>(f)(arguments...);
        if (code != 0) {
            std::fprintf(stderr, "%s returned %d\n", name, code);
            std::exit(2);
        }
    }

    void* library_ = nullptr;
    void* context_ = nullptr;
    void* module_ = nullptr;
    void* stream_ = nullptr;
    std::map<std::string, void*> symbols_;
    std::map<std::string, void*> functions_;
};
