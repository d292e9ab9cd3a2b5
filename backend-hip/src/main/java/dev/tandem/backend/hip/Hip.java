package dev.tandem.backend.hip;

import static java.util.Map.entry;

import dev.tandem.gpu.GpuVendor;
import dev.tandem.gpu.ffm.DeviceAttribute;
import dev.tandem.gpu.ffm.DriverFunction;
import dev.tandem.gpu.ffm.DriverTable;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Names of the HIP interface of ROCm. */
final class Hip {
    private static final List<String> NAMES =
            List.of("libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so");

    private static final Map<DriverFunction, String> SYMBOLS = Map.ofEntries(
            entry(DriverFunction.INIT, "hipInit"),
            entry(DriverFunction.DRIVER_VERSION, "hipDriverGetVersion"),
            entry(DriverFunction.DEVICE_COUNT, "hipGetDeviceCount"),
            entry(DriverFunction.DEVICE, "hipDeviceGet"),
            entry(DriverFunction.DEVICE_NAME, "hipDeviceGetName"),
            entry(DriverFunction.DEVICE_MEMORY, "hipDeviceTotalMem"),
            entry(DriverFunction.DEVICE_ATTRIBUTE, "hipDeviceGetAttribute"),
            // Contexts are deprecated here: a device is made current by its ordinal, and nothing is retained.
            entry(DriverFunction.CONTEXT_USE, "hipSetDevice"),
            entry(DriverFunction.MEMORY_INFO, "hipMemGetInfo"),
            entry(DriverFunction.MODULE_LOAD, "hipModuleLoadData"),
            entry(DriverFunction.MODULE_UNLOAD, "hipModuleUnload"),
            entry(DriverFunction.MODULE_FUNCTION, "hipModuleGetFunction"),
            entry(DriverFunction.ALLOCATE, "hipMalloc"),
            entry(DriverFunction.FREE, "hipFree"),
            entry(DriverFunction.ALLOCATE_HOST, "hipHostMalloc"),
            entry(DriverFunction.FREE_HOST, "hipHostFree"),
            entry(DriverFunction.COPY_TO_DEVICE, "hipMemcpyHtoDAsync"),
            entry(DriverFunction.COPY_TO_HOST, "hipMemcpyDtoHAsync"),
            entry(DriverFunction.COPY_ON_DEVICE, "hipMemcpyDtoDAsync"),
            entry(DriverFunction.STREAM_CREATE, "hipStreamCreateWithFlags"),
            entry(DriverFunction.STREAM_DESTROY, "hipStreamDestroy"),
            entry(DriverFunction.STREAM_SYNCHRONIZE, "hipStreamSynchronize"),
            entry(DriverFunction.LAUNCH, "hipModuleLaunchKernel"),
            entry(DriverFunction.ERROR_NAME, "hipGetErrorName"),
            entry(DriverFunction.CAPTURE_BEGIN, "hipStreamBeginCapture"),
            entry(DriverFunction.CAPTURE_END, "hipStreamEndCapture"),
            entry(DriverFunction.GRAPH_INSTANTIATE, "hipGraphInstantiateWithFlags"),
            entry(DriverFunction.GRAPH_LAUNCH, "hipGraphLaunch"),
            entry(DriverFunction.GRAPH_EXECUTABLE_DESTROY, "hipGraphExecDestroy"),
            entry(DriverFunction.GRAPH_DESTROY, "hipGraphDestroy"));

    private static final Map<DeviceAttribute, Integer> ATTRIBUTES = Map.of(
            DeviceAttribute.MULTIPROCESSORS, 63,
            DeviceAttribute.INTEGRATED, 16,
            DeviceAttribute.CAPABILITY_MAJOR, 23,
            DeviceAttribute.CAPABILITY_MINOR, 61);

    private Hip() {}

    static GpuVendor vendor() {
        return new GpuVendor(
                "rocm",
                new DriverTable(
                        "ROCm/HIP",
                        libraries(
                                Optional.ofNullable(System.getenv("ROCM_PATH")).orElse("/opt/rocm")),
                        SYMBOLS,
                        ATTRIBUTES,
                        true,
                        true),
                List.of("/kernels/hip.hipfb.gz"),
                Hip::version,
                "Install ROCm 5.2 or newer: its library libamdhip64 is needed.",
                "Check with rocminfo that the driver sees a card.");
    }

    private static List<String> libraries(String rocmPath) {
        List<String> libraries = new ArrayList<>(NAMES);
        NAMES.forEach(name -> libraries.add(rocmPath + "/lib/" + name));
        libraries.addAll(List.of("amdhip64_7.dll", "amdhip64_6.dll"));
        return libraries;
    }

    /** 60443484 is 6.4.43484. */
    private static String version(int number) {
        return number / 10_000_000 + "." + number / 100_000 % 100 + "." + number % 100_000;
    }
}
