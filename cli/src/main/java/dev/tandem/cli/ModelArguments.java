package dev.tandem.cli;

import dev.tandem.runtime.ModelOptions;
import dev.tandem.runtime.ModelOptions.DeviceFailure;
import dev.tandem.runtime.select.BackendRequest;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.model.DType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Which model to load, and how it runs. */
final class ModelArguments {
    /** Stands above these options on a help page. */
    static final String SECTION = "Model and backend:";

    /** More than any machine has use for; each costs a wake-up per layer. */
    private static final int MOST_THREADS = 1024;

    @Mixin
    ModelChoice choice = new ModelChoice();

    @Option(
            names = "--backend",
            paramLabel = "NAME",
            description = "auto, cpu, cuda, rocm, or another that 'tandem doctor' lists. Default: auto.")
    @Nullable
    String backend;

    @Option(names = "--cuda", description = "The same as --backend cuda.")
    boolean cuda;

    @Option(names = "--rocm", description = "The same as --backend rocm.")
    boolean rocm;

    @Option(names = "--device", paramLabel = "ID", description = "Device of that backend. Default: its best one.")
    @Nullable
    String device;

    @Option(
            names = "--threads",
            paramLabel = "COUNT",
            description = "Threads of the CPU. Default: one for each processor (0).")
    int threads;

    @Option(
            names = "--ctx",
            paramLabel = "TOKENS",
            description = "Most tokens of prompt and answer together. Default: what the model was trained for (0).")
    int context;

    @Option(
            names = "--precision",
            paramLabel = "NAME",
            description = "fast (activations rounded to int8 in blocks) or reference (f32). Default: fast.")
    PrecisionName precision = PrecisionName.FAST;

    @Option(
            names = "--kv",
            paramLabel = "TYPE",
            description = "Type of stored keys and values: f16 or f32. Default: f16 when fast, f32 when reference.")
    @Nullable
    KvName kv;

    @Option(
            names = "--on-device-failure",
            paramLabel = "NAME",
            description = "When a device is lost in the middle: cpu goes on there with the same tokens, stop ends with"
                    + " an error. Default: cpu.")
    DeviceFailure onDeviceFailure = DeviceFailure.CPU;

    @Option(names = "--plugins", paramLabel = "DIR", description = PluginArguments.DESCRIPTION)
    List<Path> pluginDirectories = new ArrayList<>();

    /** Values of {@code --precision}. */
    enum PrecisionName {
        FAST,
        REFERENCE
    }

    /** Values of {@code --kv}. */
    enum KvName {
        F16,
        F32
    }

    /**
     * The options for the engine.
     *
     * @param bytesLoaded hears how much is loaded
     * @throws UsageException where a number is out of its range
     */
    ModelOptions toOptions(LongConsumer bytesLoaded) {
        requireNotNegative("--threads", threads);
        if (threads > MOST_THREADS) {
            throw new UsageException(ErrorCode.BAD_ARGUMENT, "--threads " + threads + " is more than " + MOST_THREADS);
        }
        requireNotNegative("--ctx", context);
        return new ModelOptions(
                backendName(),
                Optional.ofNullable(device),
                threads,
                context,
                ModelOptions.DEFAULT_STEP_ROWS,
                precision == PrecisionName.FAST ? Precision.FAST : Precision.REFERENCE,
                Optional.ofNullable(kv).map(type -> type == KvName.F16 ? DType.F16 : DType.F32),
                onDeviceFailure,
                bytesLoaded);
    }

    private String backendName() {
        Set<String> named = new LinkedHashSet<>();
        if (backend != null) {
            named.add(backend);
        }
        if (cuda) {
            named.add("cuda");
        }
        if (rocm) {
            named.add("rocm");
        }
        if (named.size() > 1) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT, "the options ask for different backends: " + String.join(", ", named));
        }
        return named.isEmpty() ? BackendRequest.AUTO : named.iterator().next();
    }

    private static void requireNotNegative(String option, int value) {
        if (value < 0) {
            throw new UsageException(ErrorCode.BAD_ARGUMENT, option + " " + value + " is not 0 or more");
        }
    }
}
