package dev.tandem.backend.cuda;

import static java.util.Map.entry;

import dev.tandem.gpu.GpuVendor;
import dev.tandem.gpu.ffm.DeviceAttribute;
import dev.tandem.gpu.ffm.DriverFunction;
import dev.tandem.gpu.ffm.DriverTable;
import java.util.List;
import java.util.Map;

/** Names of the CUDA driver interface. */
final class Cuda {
    private static final Map<DriverFunction, String> SYMBOLS = Map.ofEntries(
            entry(DriverFunction.INIT, "cuInit"),
            entry(DriverFunction.DRIVER_VERSION, "cuDriverGetVersion"),
            entry(DriverFunction.DEVICE_COUNT, "cuDeviceGetCount"),
            entry(DriverFunction.DEVICE, "cuDeviceGet"),
            entry(DriverFunction.DEVICE_NAME, "cuDeviceGetName"),
            entry(DriverFunction.DEVICE_MEMORY, "cuDeviceTotalMem_v2"),
            entry(DriverFunction.DEVICE_ATTRIBUTE, "cuDeviceGetAttribute"),
            entry(DriverFunction.CONTEXT_RETAIN, "cuDevicePrimaryCtxRetain"),
            entry(DriverFunction.CONTEXT_RELEASE, "cuDevicePrimaryCtxRelease_v2"),
            entry(DriverFunction.CONTEXT_USE, "cuCtxSetCurrent"),
            entry(DriverFunction.MEMORY_INFO, "cuMemGetInfo_v2"),
            entry(DriverFunction.MODULE_LOAD, "cuModuleLoadData"),
            entry(DriverFunction.MODULE_UNLOAD, "cuModuleUnload"),
            entry(DriverFunction.MODULE_FUNCTION, "cuModuleGetFunction"),
            entry(DriverFunction.ALLOCATE, "cuMemAlloc_v2"),
            entry(DriverFunction.FREE, "cuMemFree_v2"),
            entry(DriverFunction.ALLOCATE_HOST, "cuMemHostAlloc"),
            entry(DriverFunction.FREE_HOST, "cuMemFreeHost"),
            entry(DriverFunction.COPY_TO_DEVICE, "cuMemcpyHtoDAsync_v2"),
            entry(DriverFunction.COPY_TO_HOST, "cuMemcpyDtoHAsync_v2"),
            entry(DriverFunction.COPY_ON_DEVICE, "cuMemcpyDtoDAsync_v2"),
            entry(DriverFunction.STREAM_CREATE, "cuStreamCreate"),
            entry(DriverFunction.STREAM_DESTROY, "cuStreamDestroy_v2"),
            entry(DriverFunction.STREAM_SYNCHRONIZE, "cuStreamSynchronize"),
            entry(DriverFunction.LAUNCH, "cuLaunchKernel"),
            entry(DriverFunction.ERROR_NAME, "cuGetErrorName"),
            entry(DriverFunction.CAPTURE_BEGIN, "cuStreamBeginCapture_v2"),
            entry(DriverFunction.CAPTURE_END, "cuStreamEndCapture"),
            entry(DriverFunction.GRAPH_INSTANTIATE, "cuGraphInstantiateWithFlags"),
            entry(DriverFunction.GRAPH_LAUNCH, "cuGraphLaunch"),
            entry(DriverFunction.GRAPH_EXECUTABLE_DESTROY, "cuGraphExecDestroy"),
            entry(DriverFunction.GRAPH_DESTROY, "cuGraphDestroy"));

    private static final Map<DeviceAttribute, Integer> ATTRIBUTES = Map.of(
            DeviceAttribute.MULTIPROCESSORS, 16,
            DeviceAttribute.INTEGRATED, 18,
            DeviceAttribute.CAPABILITY_MAJOR, 75,
            DeviceAttribute.CAPABILITY_MINOR, 76);

    private Cuda() {}

    static GpuVendor vendor() {
        return new GpuVendor(
                "cuda",
                new DriverTable("CUDA", List.of("libcuda.so.1", "nvcuda.dll"), SYMBOLS, ATTRIBUTES, false, false),
                List.of("/kernels/cuda.fatbin.gz", "/kernels/cuda.ptx.gz"),
                Cuda::version,
                "Install the NVIDIA driver, version 580 or newer.",
                "Check with nvidia-smi that the driver sees a card.");
    }

    /** 13000 is 13.0. */
    private static String version(int number) {
        return number / 1000 + "." + number % 1000 / 10;
    }
}
