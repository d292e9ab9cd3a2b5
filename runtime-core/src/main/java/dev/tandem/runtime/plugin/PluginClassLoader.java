package dev.tandem.runtime.plugin;

import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Enumeration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Gives one plugin its own world: the JDK, the SPI and its own jars.
 *
 * <p>Classes of the SPI come from the engine's loader and from nowhere else, since a second copy would make a provider
 * "not a subtype" of its own interface. Everything else of the engine is hidden, so a plugin cannot couple to it, and two
 * plugins may carry different versions of one library. Resources come from the plugin's jars only: services files of the
 * engine must not look like the plugin's.
 *
 * <p>It is never closed: a plugin stays loaded until the process ends.
 */
final class PluginClassLoader extends URLClassLoader {
    /** Names that begin so belong to the SPI. */
    static final String SPI_PREFIX = "dev.tandem.spi.";

    static {
        registerAsParallelCapable();
    }

    private final ClassLoader engine;

    PluginClassLoader(String name, List<URL> jars, ClassLoader engine) {
        super(name, jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
        this.engine = engine;
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        return name.startsWith(SPI_PREFIX) ? engine.loadClass(name) : super.loadClass(name, resolve);
    }

    @Override
    public @Nullable URL getResource(String name) {
        return findResource(name);
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        return findResources(name);
    }
}
