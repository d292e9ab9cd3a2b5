package dev.tandem.backend.cpu;

import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.backend.cpu.scalar.ScalarKernels;
import dev.tandem.backend.cpu.vector.VectorKernels;
import dev.tandem.spi.Availability;
import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.BackendProvider;
import java.util.List;

/** Finds the host's cores; always available. */
public final class CpuBackendProvider implements BackendProvider {
    private static final String VECTOR_MODULE = "jdk.incubator.vector";

    /** Does nothing, as the contract asks. */
    public CpuBackendProvider() {}

    @Override
    public String id() {
        return "cpu";
    }

    @Override
    public Availability probe() {
        boolean vector = vectorModulePresent();
        String kernels = vector ? vectorName() : "scalar";
        List<String> notices = vector
                ? List.of()
                : List.of("the scalar kernels are in use and are many times slower: module " + VECTOR_MODULE
                        + " is missing; start java with --add-modules " + VECTOR_MODULE);
        int cores = Runtime.getRuntime().availableProcessors();
        return new Availability.Available(List.of(new DeviceInfo(
                "cpu",
                cores + (cores == 1 ? " core, " : " cores, ") + System.getProperty("os.arch"),
                DeviceInfo.Kind.CPU,
                Runtime.getRuntime().maxMemory(),
                Runtime.getRuntime().maxMemory(),
                kernels,
                notices)));
    }

    @Override
    public Backend open(DeviceInfo device, OpenOptions options) {
        int threads =
                options.threads() > 0 ? options.threads() : Runtime.getRuntime().availableProcessors();
        Kernels kernels = vectorModulePresent() ? vectorKernels() : new ScalarKernels();
        return new CpuBackend(device, kernels, threads);
    }

    private static boolean vectorModulePresent() {
        return ModuleLayer.boot().findModule(VECTOR_MODULE).isPresent();
    }

    /** In a method of its own: the class must not be linked where the module is missing. */
    private static Kernels vectorKernels() {
        return VectorKernels.preferred();
    }

    private static String vectorName() {
        return VectorKernels.preferred().name();
    }
}
