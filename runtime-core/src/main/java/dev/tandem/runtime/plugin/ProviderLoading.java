package dev.tandem.runtime.plugin;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.function.Function;

/**
 * Creates the providers that one class loader offers, one at a time, so that a broken one costs only itself.
 *
 * <p>Here, at the boundary to foreign code, {@code Throwable} is caught; failures of the JVM itself pass.
 */
final class ProviderLoading {
    /** Stops a service loader that cannot get past the same fault, such as a jar deleted meanwhile. */
    private static final int MAX_FAULTS = 16;

    private static final String UPDATE = "remove or update the plugin";

    private final ClassLoader loader;
    private final Function<Optional<Class<?>>, PluginOrigin> originOf;
    private final boolean isolated;
    private final List<Found> found = new ArrayList<>();

    /**
     * Prepares loading.
     *
     * @param loader where providers are looked for
     * @param isolated whether only classes that this very loader defined count as its providers
     * @param originOf says where a provider class comes from; asked without a class where none could be loaded
     */
    ProviderLoading(ClassLoader loader, boolean isolated, Function<Optional<Class<?>>, PluginOrigin> originOf) {
        this.loader = loader;
        this.isolated = isolated;
        this.originOf = originOf;
    }

    /** What became of one provider. */
    sealed interface Found {
        /** It exists and told its id. */
        record Candidate(PluginOrigin origin, ProviderKind kind, String id, Object provider) implements Found {}

        /** It does not exist, or breaks a rule. */
        record Bad(PluginEntry entry) implements Found {}
    }

    /** Loads all providers of a kind. */
    List<Found> load(ProviderKind kind) {
        found.clear();
        var providers = ServiceLoader.load(kind.type(), loader).stream().iterator();
        int faults = 0;
        while (faults < MAX_FAULTS && advance(kind, providers)) {
            faults = found.getLast() instanceof Found.Bad ? faults + 1 : 0;
        }
        return List.copyOf(found);
    }

    /** Takes one step; false where there are no more providers. */
    private boolean advance(ProviderKind kind, Iterator<? extends ServiceLoader.Provider<?>> providers) {
        Optional<Class<?>> type = Optional.empty();
        try {
            if (!providers.hasNext()) {
                return false;
            }
            ServiceLoader.Provider<?> provider = providers.next();
            type = Optional.of(provider.type());
            create(kind, provider);
        } catch (ServiceConfigurationError | LinkageError e) {
            Faults.rethrowIfFatal(e);
            bad(kind, type, PluginState.FAILED, PluginProblem.of(Faults.describe(e), UPDATE, e));
        }
        return true;
    }

    private void create(ProviderKind kind, ServiceLoader.Provider<?> provider) {
        Optional<Class<?>> type = Optional.of(provider.type());
        if (isolated && !loader.equals(provider.type().getClassLoader())) {
            String reason = provider.type().getName() + " is not a class of this plugin";
            bad(kind, type, PluginState.REFUSED, PluginProblem.of(reason, UPDATE));
            return;
        }
        Object instance = provider.get();
        String name = provider.type().getName();
        try {
            String id = kind.idOf(instance);
            if (id == null) {
                bad(kind, type, PluginState.FAILED, PluginProblem.of(name + ".id() answered null", UPDATE));
            } else if (!IdRules.isWellFormed(id)) {
                bad(kind, type, PluginState.REFUSED, IdRules.malformed(id));
            } else {
                found.add(new Found.Candidate(originOf.apply(type), kind, id, instance));
            }
        } catch (Throwable e) {
            Faults.rethrowIfFatal(e);
            String reason = name + ".id() failed: " + Faults.describe(e);
            bad(kind, type, PluginState.FAILED, PluginProblem.of(reason, UPDATE, e));
        }
    }

    private void bad(ProviderKind kind, Optional<Class<?>> type, PluginState state, PluginProblem problem) {
        PluginOrigin origin = originOf.apply(type);
        found.add(new Found.Bad(
                new PluginEntry(origin, Optional.of(kind), Optional.empty(), state, Optional.of(problem))));
    }
}
