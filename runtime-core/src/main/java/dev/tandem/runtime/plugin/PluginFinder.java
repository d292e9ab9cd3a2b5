package dev.tandem.runtime.plugin;

import dev.tandem.runtime.plugin.ProviderLoading.Found;
import dev.tandem.spi.SpiVersion;
import dev.tandem.spi.backend.BackendProvider;
import dev.tandem.spi.draft.DraftProvider;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Finds, vets and loads every plugin once.
 *
 * <p>Bad plugins are lines in the report. Only a failure of the JVM itself, such as a lack of memory, is thrown.
 */
public final class PluginFinder {
    private final ClassLoader engine;
    private final SpiVersion runtime;

    /** A finder for this runtime, whose built-in providers are on the class path of this class. */
    public PluginFinder() {
        this(Objects.requireNonNull(PluginFinder.class.getClassLoader()), SpiVersion.CURRENT);
    }

    /**
     * A finder for another runtime, for tests.
     *
     * @param engine sees the SPI and the built-in providers
     * @param runtime the version of the SPI that plugins meet
     */
    PluginFinder(ClassLoader engine, SpiVersion runtime) {
        this.engine = engine;
        this.runtime = runtime;
    }

    /**
     * Searches the class path, then the directories.
     *
     * @param places the directories in falling rank
     * @return the providers in use, and the report on all
     */
    public InstalledPlugins find(PluginDirectories places) {
        List<List<Found>> found = new ArrayList<>();
        List<String> notices = new ArrayList<>(places.notices());
        found.add(builtIn());
        DirectoryScan scan = new DirectoryScan();
        for (PluginDirectory directory : places.directories()) {
            try {
                List<Found> here = new ArrayList<>();
                for (DirectoryScan.Entry entry : scan.scan(directory.path())) {
                    here.addAll(load(entry, directory.source()));
                }
                found.add(here);
            } catch (IOException e) {
                notices.add("the plugin directory " + directory.path() + " cannot be read: " + Faults.describe(e));
            }
        }
        IdRules rules = new IdRules(found);
        notices.addAll(rules.notices());
        return installed(rules, new PluginReport(places.directories(), rules.entries(), notices));
    }

    private static InstalledPlugins installed(IdRules rules, PluginReport report) {
        var backends = new TreeMap<String, LoadedProvider<BackendProvider>>();
        var drafts = new TreeMap<String, LoadedProvider<DraftProvider>>();
        for (Found.Candidate winner : rules.winners()) {
            String id = winner.id();
            switch (winner.kind()) {
                case BACKEND ->
                    backends.put(id, new LoadedProvider<>(id, (BackendProvider) winner.provider(), winner.origin()));
                case DRAFT ->
                    drafts.put(id, new LoadedProvider<>(id, (DraftProvider) winner.provider(), winner.origin()));
            }
        }
        return new InstalledPlugins(report, backends, drafts);
    }

    private List<Found> builtIn() {
        ProviderLoading loading = new ProviderLoading(engine, false, this::builtInOrigin);
        List<Found> found = new ArrayList<>();
        for (ProviderKind kind : ProviderKind.values()) {
            found.addAll(loading.load(kind));
        }
        return found;
    }

    private PluginOrigin builtInOrigin(Optional<Class<?>> provider) {
        return new PluginOrigin(
                PluginSource.APPLICATION,
                provider.flatMap(PluginFinder::codeSource),
                Optional.empty(),
                provider.flatMap(type -> Optional.ofNullable(type.getPackage().getImplementationVersion())),
                Optional.of(runtime));
    }

    private List<Found> load(DirectoryScan.Entry entry, PluginSource source) {
        return switch (new JarVetting(runtime).vet(entry, source)) {
            case JarVetting.Verdict.Refused refused -> List.of(new Found.Bad(refused.entry()));
            case JarVetting.Verdict.Passed passed -> load(entry, passed);
        };
    }

    private List<Found> load(DirectoryScan.Entry entry, JarVetting.Verdict.Passed passed) {
        List<JarVetting.ServiceJar> services = passed.services();
        PluginClassLoader loader = new PluginClassLoader(
                entry.path().getFileName().toString(),
                passed.jars().stream().map(PluginFinder::url).toList(),
                engine);
        ProviderLoading loading = new ProviderLoading(loader, true, type -> origin(services, type));
        List<Found> found = new ArrayList<>();
        for (ProviderKind kind : ProviderKind.values()) {
            if (services.stream().anyMatch(service -> service.facts().kinds().contains(kind))) {
                found.addAll(loading.load(kind));
            }
        }
        if (found.isEmpty()) {
            PluginProblem problem = PluginProblem.of("its services file names no provider", "update the plugin");
            found.add(new Found.Bad(new PluginEntry(
                    services.getFirst().origin(),
                    Optional.empty(),
                    Optional.empty(),
                    PluginState.REFUSED,
                    Optional.of(problem))));
        }
        return found;
    }

    /** The services jar that holds the class; the first one for a class that lies elsewhere or never loaded. */
    private static PluginOrigin origin(List<JarVetting.ServiceJar> services, Optional<Class<?>> type) {
        Optional<Path> jar = type.flatMap(PluginFinder::codeSource);
        return services.stream()
                .filter(service -> jar.equals(Optional.of(service.facts().jar())))
                .findFirst()
                .orElse(services.getFirst())
                .origin();
    }

    private static Optional<Path> codeSource(Class<?> type) {
        try {
            CodeSource source = type.getProtectionDomain().getCodeSource();
            return source == null || source.getLocation() == null
                    ? Optional.empty()
                    : Optional.of(Path.of(source.getLocation().toURI()));
        } catch (URISyntaxException | RuntimeException e) {
            // A place that is no file, such as a class from a run-time image: the report then goes without it.
            return Optional.empty();
        }
    }

    private static URL url(Path jar) {
        try {
            return jar.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalStateException("the path of a jar is always a URL: " + jar, e);
        }
    }
}
