package dev.tandem.runtime.plugin;

import dev.tandem.spi.Availability;
import dev.tandem.spi.Availability.Available;
import dev.tandem.spi.Availability.Reason;
import dev.tandem.spi.Availability.Unavailable;
import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.backend.BackendProvider;
import java.util.List;
import java.util.Optional;

/**
 * Asks loaded backends whether they can run, and turns a breach of the probe's contract into an answer.
 *
 * <p>Nothing is remembered: probes are repeatable, and a driver may appear between two of them.
 */
public final class BackendProbe {
    private BackendProbe() {}

    /**
     * Probes one backend.
     *
     * @param backend a provider in use
     * @return its answer; {@link Reason#INTERNAL_ERROR} naming the plugin where it threw, or answered with nulls
     */
    public static ProbedBackend probe(LoadedProvider<BackendProvider> backend) {
        return new ProbedBackend(backend, ask(backend));
    }

    /**
     * Probes every backend in use.
     *
     * @param plugins what was found
     * @return one answer for each, by id
     */
    public static List<ProbedBackend> probeAll(InstalledPlugins plugins) {
        return plugins.backends().values().stream().map(BackendProbe::probe).toList();
    }

    private static Availability ask(LoadedProvider<BackendProvider> backend) {
        try {
            Availability answer = backend.provider().probe();
            return isComplete(answer) ? answer : fault(backend, "answered with null", Optional.empty());
        } catch (Throwable e) {
            Faults.rethrowIfFatal(e);
            return fault(backend, "failed: " + Faults.describe(e), Optional.of(e));
        }
    }

    /** Plugins may be compiled without null checks, so the types promise nothing here. */
    @SuppressWarnings("ConstantValue")
    private static boolean isComplete(Availability answer) {
        return switch (answer) {
            case null -> false;
            case Available available -> available.devices().stream().allMatch(BackendProbe::isComplete);
            case Unavailable why ->
                why.reason() != null && why.detail() != null && why.remedy() != null && why.cause() != null;
        };
    }

    private static boolean isComplete(DeviceInfo device) {
        return device.id() != null && device.name() != null && device.kind() != null && device.driver() != null;
    }

    private static Unavailable fault(LoadedProvider<BackendProvider> backend, String what, Optional<Throwable> cause) {
        return new Unavailable(
                Reason.INTERNAL_ERROR,
                "probe() of plugin '" + backend.id() + "' (" + backend.origin().place() + ") " + what,
                "Remove or update the plugin",
                cause);
    }
}
