package dev.tandem.backend.cpu.vector;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.backend.cpu.kernel.Kernels;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The vector twin at a width of choice. A width is a constant of the class loader, so each has a loader of its own, which
 * defines the package anew and leaves all others to the test's loader.
 */
enum Width {
    BITS_128(128),
    BITS_256(256),
    BITS_512(512);

    private static final Map<Width, Kernels> LOADED = new ConcurrentHashMap<>();

    private final int bits;

    Width(int bits) {
        this.bits = bits;
    }

    Kernels kernels() {
        return LOADED.computeIfAbsent(this, Width::load);
    }

    private Kernels load() {
        String property = Lanes.WIDTH_PROPERTY;
        String before = System.getProperty(property);
        System.setProperty(property, Integer.toString(bits));
        try {
            Class<?> type = new PackageLoader().loadClass(VectorKernels.class.getName());
            Kernels made = (Kernels) type.getDeclaredConstructor().newInstance();
            assertEquals("vector " + bits + "-bit", made.name()); // the width is read here, before it is put back
            return made;
        } catch (ReflectiveOperationException e) {
            throw new LinkageError("the vector twin at " + bits + " bits", e);
        } finally {
            if (before == null) {
                System.clearProperty(property);
            } else {
                System.setProperty(property, before);
            }
        }
    }

    private static final class PackageLoader extends ClassLoader {
        private static final String PREFIX = VectorKernels.class.getPackageName() + ".";

        PackageLoader() {
            super(VectorKernels.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                if (!name.startsWith(PREFIX)) {
                    return super.loadClass(name, resolve);
                }
                Class<?> known = findLoadedClass(name);
                return known != null ? known : define(name);
            }
        }

        private Class<?> define(String name) throws ClassNotFoundException {
            try (InputStream in = getResourceAsStream(name.replace('.', '/') + ".class")) {
                if (in == null) {
                    throw new ClassNotFoundException(name);
                }
                byte[] code = in.readAllBytes();
                return defineClass(name, code, 0, code.length);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    }
}
