package dev.tandem.cli;

import dev.tandem.runtime.Engine;
import dev.tandem.runtime.plugin.PluginEntry;
import dev.tandem.runtime.plugin.PluginReport;
import dev.tandem.runtime.plugin.PluginState;
import dev.tandem.runtime.plugin.ProbedBackend;
import dev.tandem.runtime.plugin.ProviderKind;
import dev.tandem.runtime.select.BackendChoice;
import dev.tandem.runtime.select.BackendRequest;
import dev.tandem.runtime.select.BackendSelector;
import dev.tandem.runtime.select.ModelNeeds;
import dev.tandem.spi.Availability;
import dev.tandem.spi.PluginException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/**
 * What {@code doctor} found.
 *
 * @param report every plugin
 * @param backends the backends in use, probed
 * @param choice what {@code auto} takes; empty where nothing can run
 * @param whyNone why nothing can run, where that is so
 * @param vectorModule whether Java has the Vector API
 * @param installation where this program lies
 * @param models model files in the model folders
 */
record Diagnosis(
        PluginReport report,
        List<ProbedBackend> backends,
        Optional<BackendChoice> choice,
        Optional<PluginException> whyNone,
        boolean vectorModule,
        Installation installation,
        List<ModelFile> models) {

    /** The module that holds the Vector API. */
    static final String VECTOR_MODULE = "jdk.incubator.vector";

    /**
     * A file in a model folder.
     *
     * @param path of the file
     * @param bytes its size
     */
    record ModelFile(Path path, long bytes) {}

    /** Probes everything. */
    static Diagnosis of(Engine engine, Installation installation) {
        PluginReport report = engine.plugins().report();
        List<ProbedBackend> backends = engine.backends();
        Optional<BackendChoice> choice = Optional.empty();
        Optional<PluginException> whyNone = Optional.empty();
        try {
            choice = Optional.of(new BackendSelector(backends, report, ModelNeeds.NONE).select(BackendRequest.auto()));
        } catch (PluginException e) {
            whyNone = Optional.of(e);
        }
        return new Diagnosis(
                report,
                backends,
                choice,
                whyNone,
                ModuleLayer.boot().findModule(VECTOR_MODULE).isPresent(),
                installation,
                models(installation));
    }

    /** Where models are found by name. */
    ModelFolders modelFolders() {
        return ModelFolders.of(List.of(), installation);
    }

    private static List<ModelFile> models(Installation installation) {
        return ModelFolders.of(List.of(), installation).models().values().stream()
                .flatMap(file -> modelFile(file).stream())
                .toList();
    }

    /** A file; empty where it went away since its folder was read. */
    private static Optional<ModelFile> modelFile(Path file) {
        try {
            return Optional.of(new ModelFile(file, Files.size(file)));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /** What the probe of a plugin said; empty for a draft, and for a plugin that is not in use. */
    Optional<Availability> availability(PluginEntry entry) {
        if (entry.state() != PluginState.LOADED || !entry.kind().equals(Optional.of(ProviderKind.BACKEND))) {
            return Optional.empty();
        }
        return backends.stream()
                .filter(backend -> entry.id().equals(Optional.of(backend.id())))
                .map(ProbedBackend::availability)
                .findFirst();
    }

    /** What became of a plugin, in one or two words. */
    String state(PluginEntry entry) {
        return switch (entry.state()) {
            case LOADED ->
                availability(entry).orElse(null) instanceof Availability.Unavailable ? "cannot run" : "in use";
            case OVERRIDDEN -> "overridden";
            case REFUSED -> "refused";
            case FAILED -> "failed";
        };
    }
}
