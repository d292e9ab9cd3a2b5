package dev.tandem.runtime.plugin;

import dev.tandem.spi.SpiVersion;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Decides from manifests and tables of contents alone whether an entry may load.
 *
 * <p>It must come before any class: a plugin built for a newer SPI instantiates well and dies later, in the middle of a
 * token, on a method that this runtime does not have.
 */
final class JarVetting {
    private final SpiVersion runtime;

    JarVetting(SpiVersion runtime) {
        this.runtime = runtime;
    }

    /** The verdict on one entry. */
    sealed interface Verdict {
        /**
         * It may load.
         *
         * @param jars all jars of the entry
         * @param services the jars that hold services files, at least one
         */
        record Passed(List<Path> jars, List<ServiceJar> services) implements Verdict {}

        /** It may not load. */
        record Refused(PluginEntry entry) implements Verdict {}
    }

    /** A jar that holds a services file. */
    record ServiceJar(JarFacts facts, PluginOrigin origin) {}

    Verdict vet(DirectoryScan.Entry entry, PluginSource source) {
        PluginOrigin unknown = PluginOrigin.ofEntry(source, entry.path());
        if (entry.problem().isPresent()) {
            return refused(unknown, Optional.empty(), entry.problem().get());
        }
        List<JarFacts> all = new ArrayList<>();
        for (Path jar : entry.jars()) {
            try {
                all.add(JarFacts.read(jar));
            } catch (IOException e) {
                PluginProblem problem = PluginProblem.of(
                        named(entry, jar) + "not a readable jar (" + Faults.describe(e) + ")",
                        "copy the file again, or remove it",
                        e);
                return refused(unknown, Optional.empty(), problem);
            }
        }
        return judge(entry, source, all);
    }

    private Verdict judge(DirectoryScan.Entry entry, PluginSource source, List<JarFacts> all) {
        PluginOrigin unknown = PluginOrigin.ofEntry(source, entry.path());
        List<ServiceJar> services = all.stream()
                .filter(facts -> !facts.kinds().isEmpty())
                .map(facts -> new ServiceJar(facts, originOf(entry, source, facts)))
                .toList();
        PluginOrigin origin = services.isEmpty() ? unknown : services.getFirst().origin();
        Optional<ProviderKind> kind = services.isEmpty() ? Optional.empty() : onlyKind(services.getFirst());
        for (JarFacts facts : all) {
            if (facts.bundledSpiClass().isPresent()) {
                String reason = named(entry, facts.jar()) + "bundles "
                        + facts.bundledSpiClass().get() + ", which only the runtime may supply";
                return refused(
                        origin, kind, PluginProblem.of(reason, "build the plugin without the classes of the SPI"));
            }
        }
        if (services.isEmpty()) {
            return refused(unknown, Optional.empty(), noServices(entry));
        }
        for (ServiceJar service : services) {
            Optional<PluginProblem> problem = judgeVersion(service.facts());
            if (problem.isPresent()) {
                return refused(service.origin(), onlyKind(service), problem.get());
            }
        }
        return new Verdict.Passed(entry.jars(), services);
    }

    private Optional<PluginProblem> judgeVersion(JarFacts facts) {
        if (facts.spiVersion().isEmpty()) {
            return Optional.of(PluginProblem.of(
                    "the manifest of " + facts.jar().getFileName() + " has no " + SpiVersion.MANIFEST_ATTRIBUTE,
                    "build the plugin with '" + SpiVersion.MANIFEST_ATTRIBUTE + ": " + runtime + "' in it"));
        }
        String text = facts.spiVersion().get();
        Optional<SpiVersion> stated = parse(text);
        if (stated.isEmpty()) {
            return Optional.of(PluginProblem.of(
                    SpiVersion.MANIFEST_ATTRIBUTE + " '" + text + "' is not a version such as " + runtime,
                    "build the plugin with a correct manifest"));
        }
        SpiVersion plugin = stated.get();
        if (runtime.accepts(plugin)) {
            return Optional.empty();
        }
        return Optional.of(PluginProblem.of(
                "needs SPI " + plugin + ", this runtime has " + runtime,
                plugin.compareTo(runtime) > 0 ? "update the runtime" : "update the plugin"));
    }

    private static PluginProblem noServices(DirectoryScan.Entry entry) {
        return entry.jars().isEmpty()
                ? PluginProblem.of("the directory holds no jar", "put the jars of a plugin into it, or remove it")
                : PluginProblem.of(
                        "no services file offers a backend or a draft strategy",
                        "remove it; a library that a plugin needs belongs into a directory together with the plugin");
    }

    private static PluginOrigin originOf(DirectoryScan.Entry entry, PluginSource source, JarFacts facts) {
        return new PluginOrigin(
                source,
                Optional.of(entry.path()),
                Optional.of(facts.jar()),
                facts.version(),
                facts.spiVersion().flatMap(JarVetting::parse));
    }

    private static Optional<SpiVersion> parse(String text) {
        try {
            return Optional.of(SpiVersion.parse(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static Optional<ProviderKind> onlyKind(ServiceJar service) {
        return service.facts().kinds().size() == 1
                ? Optional.of(service.facts().kinds().iterator().next())
                : Optional.empty();
    }

    /** Names the jar where the entry is a directory; a single jar is named by the report's line. */
    private static String named(DirectoryScan.Entry entry, Path jar) {
        return entry.jars().size() == 1 ? "" : jar.getFileName() + ": ";
    }

    private static Verdict refused(PluginOrigin origin, Optional<ProviderKind> kind, PluginProblem problem) {
        return new Verdict.Refused(
                new PluginEntry(origin, kind, Optional.empty(), PluginState.REFUSED, Optional.of(problem)));
    }
}
