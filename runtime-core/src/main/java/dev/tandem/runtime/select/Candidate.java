package dev.tandem.runtime.select;

import dev.tandem.runtime.plugin.LoadedProvider;
import dev.tandem.runtime.plugin.ProbedBackend;
import dev.tandem.spi.Availability;
import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.backend.BackendProvider;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * One device that could be used.
 *
 * @param backend its provider
 * @param device as probed
 * @param fits whether the model fits into its free memory, as far as known
 */
record Candidate(LoadedProvider<BackendProvider> backend, DeviceInfo device, boolean fits) {
    /** The best first, kinds in the order of their declaration; equal devices stay in their driver's order, since sorting is stable. */
    static final Comparator<Candidate> BEST_FIRST = Comparator.comparing((Candidate candidate) -> candidate.fits())
            .thenComparing(candidate -> candidate.device().kind())
            .thenComparingLong(candidate -> candidate.device().freeBytes())
            .reversed()
            .thenComparing(candidate -> candidate.backend().id());

    /** All devices of the backends that can run, the best first. */
    static List<Candidate> rank(List<ProbedBackend> backends, ModelNeeds needs) {
        return backends.stream()
                .flatMap(backend -> of(backend, needs))
                .sorted(BEST_FIRST)
                .toList();
    }

    private static Stream<Candidate> of(ProbedBackend probed, ModelNeeds needs) {
        return switch (probed.availability()) {
            case Availability.Available available ->
                available.devices().stream()
                        .map(device -> new Candidate(probed.backend(), device, fits(device, needs)));
            case Availability.Unavailable unavailable -> Stream.empty();
        };
    }

    /** On the CPU weights stay in the file's mapping, so a model larger than memory is slow there, not impossible. */
    private static boolean fits(DeviceInfo device, ModelNeeds needs) {
        return device.kind() == DeviceInfo.Kind.CPU
                || device.freeBytes() < 0
                || device.freeBytes() >= needs.memoryBytes();
    }

    /** Such as {@code cuda device 0 (name, discrete, 79.1 GiB free)}. */
    String describe() {
        String free = device.freeBytes() < 0 ? "" : ", " + gib(device.freeBytes()) + " free";
        return backend.id() + " device " + device.id() + " (" + device.name() + ", "
                + device.kind().name().toLowerCase(Locale.ROOT) + free + ")";
    }

    static String gib(long bytes) {
        return String.format(Locale.ROOT, "%.1f GiB", bytes / (double) (1L << 30));
    }
}
