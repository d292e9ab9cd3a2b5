// Runs every kernel on a device and on the fake driver's emulator, and compares results as bits; then times the device.
//
//   harness DRIVER IMAGE FAKE_DRIVER [bits|small|time|all]
//
// bits compares both (and, where the rule is short, a plain loop); small launches a few of them on the device alone, for
// compute-sanitizer; time measures. A driver is a path to libcuda.so.1, so the fake one can also stand for the device.
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "driver.h"
#include "plain.h"

using std::vector;

struct Harness {
    vector<std::unique_ptr<Driver>> drivers;
    int compared = 0;
    int failed = 0;
    bool device_only = false;
    std::string filter;
};

static Harness h;

/** Memory with the same contents on all drivers. */
struct Buffer {
    size_t bytes;
    vector<u64> at;

    explicit Buffer(size_t bytes_, int fill = 0xff) : bytes(std::max<size_t>(bytes_, 16)) {
        for (auto& d : h.drivers) {
            at.push_back(d->allocate(bytes));
            d->fill(at.back(), fill, bytes);
        }
    }
    template <class T>
    explicit Buffer(const vector<T>& data) : Buffer(data.size() * sizeof(T)) {
        for (size_t i = 0; i < at.size(); i++) {
            h.drivers[i]->upload(at[i], data.data(), data.size() * sizeof(T));
        }
    }
    Buffer(const Buffer&) = delete;
    ~Buffer() {
        for (size_t i = 0; i < at.size(); i++) {
            h.drivers[i]->release(at[i]);
        }
    }
    template <class T>
    vector<T> read(size_t driver) const {
        vector<T> data(bytes / sizeof(T));
        h.drivers[driver]->download(data.data(), at[driver], data.size() * sizeof(T));
        return data;
    }
};

/** One argument: a buffer (its address differs by driver), nothing, or a number. */
struct Argument {
    const Buffer* buffer = nullptr;
    u64 bits = 0;
    Argument(const Buffer& b) : buffer(&b) {}
    Argument(const Buffer* b) : buffer(b) {}
    Argument(std::nullptr_t) {}
    Argument(int v) { std::memcpy(&bits, &v, 4); }
    Argument(float v) { std::memcpy(&bits, &v, 4); }
    Argument(long long v) { std::memcpy(&bits, &v, 8); }
};

static void launch(const std::string& kernel, int x, int y, int block, const vector<Argument>& arguments, int only = -1) {
    for (size_t d = 0; d < h.drivers.size(); d++) {
        if (only >= 0 && int(d) != only) {
            continue;
        }
        vector<u64> values;
        vector<void*> pointers;
        for (const Argument& a : arguments) {
            values.push_back(a.buffer ? a.buffer->at[d] : a.bits);
        }
        for (u64& v : values) {
            pointers.push_back(&v);
        }
        h.drivers[d]->launch(kernel, x, y, block, pointers.data());
    }
}

static void report(const std::string& what, bool equal, const std::string& detail) {
    h.compared++;
    if (!equal) {
        h.failed++;
        if (h.failed < 60) {
            std::printf("DIFFERS  %s  %s\n", what.c_str(), detail.c_str());
        }
    }
}

static void same(const std::string& what, const void* a, const void* b, size_t bytes) {
    const u32* x = static_cast<const u32*>(a);
    const u32* y = static_cast<const u32*>(b);
    size_t n = bytes / 4;
    size_t different = 0;
    size_t first = 0;
    for (size_t i = n; i-- > 0;) {
        bool both_nan = (x[i] & 0x7fffffff) > 0x7f800000 && (y[i] & 0x7fffffff) > 0x7f800000;
        if (x[i] != y[i] && !both_nan) {
            different++;
            first = i;
        }
    }
    char text[160] = "";
    if (different) {
        float fx, fy;
        std::memcpy(&fx, x + first, 4);
        std::memcpy(&fy, y + first, 4);
        std::snprintf(text, sizeof text, "%zu of %zu, first at %zu: %08x (%g) against %08x (%g)", different, n, first,
                      x[first], fx, y[first], fy);
    }
    report(what, different == 0, text);
}

/** Compares the first `count` elements of a result between drivers, and with a plain one where given. */
template <class T>
static void check(const std::string& what, const Buffer& result, size_t count, const vector<T>* plain = nullptr) {
    vector<T> first = result.read<T>(0);
    for (size_t d = 1; d < h.drivers.size(); d++) {
        same(what + " device/emulator", first.data(), result.read<T>(d).data(), count * sizeof(T));
    }
    if (plain != nullptr) {
        size_t last = h.drivers.size() - 1;
        same(what + " emulator/plain", result.read<T>(last).data(), plain->data(), count * sizeof(T));
    }
}

#include "cases.h"
#include "timing.h"

int main(int argc, char** argv) {
    if (argc < 4) {
        std::fprintf(stderr, "usage: harness DRIVER IMAGE FAKE_DRIVER [bits|small|time|all] [filter]\n");
        return 2;
    }
    std::string mode = argc > 4 ? argv[4] : "bits";
    h.filter = argc > 5 ? argv[5] : "";
    std::ifstream file(argv[2], std::ios::binary);
    vector<char> image((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    image.push_back(0);
    h.drivers.push_back(std::make_unique<Driver>(argv[1], image));
    std::printf("device: %s, driver %d\n", h.drivers[0]->name().c_str(), h.drivers[0]->version());
    h.device_only = mode == "small" || mode == "time";
    if (!h.device_only) {
        h.drivers.push_back(std::make_unique<Driver>(argv[3], image));
    }
    if (mode != "time") {
        run_cases(mode == "small");
        std::printf("%d comparisons, %d differ\n", h.compared, h.failed);
    }
    if (mode == "time" || mode == "all") {
        run_timing();
    }
    return h.failed == 0 ? 0 : 1;
}
