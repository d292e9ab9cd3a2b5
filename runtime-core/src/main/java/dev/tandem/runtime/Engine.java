package dev.tandem.runtime;

import dev.tandem.runtime.plugin.BackendProbe;
import dev.tandem.runtime.plugin.InstalledPlugins;
import dev.tandem.runtime.plugin.LoadedProvider;
import dev.tandem.runtime.plugin.PluginDirectories;
import dev.tandem.runtime.plugin.PluginFinder;
import dev.tandem.runtime.plugin.PluginHost;
import dev.tandem.runtime.plugin.ProbedBackend;
import dev.tandem.spi.Availability.Available;
import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.PluginException;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.BackendProvider;
import dev.tandem.spi.backend.BackendProvider.OpenOptions;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** The plugins of this process and the devices that are open. Safe for use by several threads. */
public final class Engine implements AutoCloseable {
    private final InstalledPlugins plugins;
    /** Lets one call at a time through to backends, as they ask. */
    private final Lock lane = new ReentrantLock(true);

    private final Map<OpenKey, Backend> open = new LinkedHashMap<>();
    private @Nullable List<ProbedBackend> probed;

    private record OpenKey(String backend, String device, int threads) {}

    private Engine(InstalledPlugins plugins) {
        this.plugins = plugins;
    }

    /**
     * Finds and loads plugins; a bad one is a line in the report. No device is touched.
     *
     * @param options where to look
     * @return an engine
     * @throws dev.tandem.spi.UsageException where a directory named in the options does not exist
     */
    public static Engine open(EngineOptions options) {
        PluginHost host = PluginHost.current(options.installation());
        PluginDirectories directories = PluginDirectories.resolve(options.pluginDirectories(), host);
        return new Engine(new PluginFinder().find(directories));
    }

    /** The plugins in use and the report on all. */
    public InstalledPlugins plugins() {
        return plugins;
    }

    /** Every backend with what its probe said; probed once. */
    public synchronized List<ProbedBackend> backends() {
        List<ProbedBackend> known = probed;
        if (known == null) {
            known = BackendProbe.probeAll(plugins);
            probed = known;
        }
        return known;
    }

    /**
     * Loads a model.
     *
     * @param file a GGUF file, or the first of a split one
     * @param options how
     * @return a model, to be closed before this engine
     * @throws dev.tandem.spi.ModelFileException where the file cannot be used
     * @throws dev.tandem.spi.UsageException where an option cannot be used
     * @throws PluginException where the backend asked for cannot run
     * @throws dev.tandem.spi.DeviceException where the device has no room
     */
    public Model load(Path file, ModelOptions options) {
        return ModelLoader.load(this, file, options);
    }

    Lock lane() {
        return lane;
    }

    /** An open backend, opened at the first request. */
    synchronized Backend backend(LoadedProvider<BackendProvider> provider, DeviceInfo device, int threads) {
        OpenKey key = new OpenKey(provider.id(), device.id(), threads);
        Backend backend = open.get(key);
        if (backend == null) {
            backend = provider.provider().open(device, new OpenOptions(threads));
            open.put(key, backend);
        }
        return backend;
    }

    /** The backend that supports every op: the one whose device is the host itself. */
    Backend reference(int threads) {
        for (ProbedBackend candidate : backends()) {
            if (candidate.availability() instanceof Available available) {
                for (DeviceInfo device : available.devices()) {
                    if (device.kind() == DeviceInfo.Kind.CPU) {
                        return backend(candidate.backend(), device, threads);
                    }
                }
            }
        }
        throw new PluginException(
                ErrorCode.BACKEND_UNAVAILABLE,
                "no backend runs on the host itself, which takes over what others cannot compute",
                "Add the jar of the CPU backend to the class path.");
    }

    /** Closes every device; models must be closed before. May be called twice. */
    @Override
    public synchronized void close() {
        open.values().forEach(Backend::close);
        open.clear();
    }
}
