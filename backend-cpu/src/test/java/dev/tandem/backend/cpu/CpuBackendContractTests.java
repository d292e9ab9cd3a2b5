package dev.tandem.backend.cpu;

import dev.tandem.backend.cpu.kernel.Kernels;
import dev.tandem.backend.cpu.scalar.ScalarKernels;
import dev.tandem.backend.cpu.vector.VectorKernels;
import dev.tandem.spi.Availability;
import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.BackendProvider;
import dev.tandem.testkit.contract.BackendContract;
import java.util.function.Supplier;
import org.junit.jupiter.api.Nested;

/** The backend's contract on each kernel set, on one thread and on two. */
final class CpuBackendContractTests {
    /** The provider with a kernel set and a number of threads of the test's choice. */
    private record WithKernels(Supplier<Kernels> kernels, int threads) implements BackendProvider {
        @Override
        public String id() {
            return new CpuBackendProvider().id();
        }

        @Override
        public Availability probe() {
            return new CpuBackendProvider().probe();
        }

        @Override
        public Backend open(DeviceInfo device, OpenOptions options) {
            return new CpuBackend(device, kernels.get(), threads);
        }
    }

    @Nested
    final class Scalar extends BackendContract {
        @Override
        protected BackendProvider provider() {
            return new WithKernels(ScalarKernels::new, 1);
        }
    }

    @Nested
    final class Vector extends BackendContract {
        @Override
        protected BackendProvider provider() {
            return new WithKernels(VectorKernels::preferred, 2);
        }
    }
}
