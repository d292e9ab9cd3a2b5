package dev.tandem.runtime.plugin;

import dev.tandem.spi.SpiVersion;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * What the table of contents and the manifest of one jar say; no class is read.
 *
 * @param jar the file
 * @param kinds the kinds of provider that its services files name
 * @param spiVersion {@code Spi-Version} as written
 * @param version {@code Implementation-Version}
 * @param bundledSpiClass one entry that belongs to the SPI, where the jar holds any
 */
record JarFacts(
        Path jar,
        Set<ProviderKind> kinds,
        Optional<String> spiVersion,
        Optional<String> version,
        Optional<String> bundledSpiClass) {
    /** A manifest that does not fit is refused: its length in the archive is whatever somebody wrote there. */
    private static final int MAX_MANIFEST_BYTES = 1 << 20;

    private static final String SPI_PATH = PluginClassLoader.SPI_PREFIX.replace('.', '/');

    JarFacts {
        kinds = Set.copyOf(kinds);
    }

    /**
     * Reads a jar.
     *
     * @throws IOException where the file is not a jar, or cannot be read
     */
    static JarFacts read(Path jar) throws IOException {
        try (ZipFile zip = new ZipFile(jar.toFile())) {
            Set<ProviderKind> kinds = EnumSet.noneOf(ProviderKind.class);
            for (ProviderKind kind : ProviderKind.values()) {
                if (zip.getEntry(kind.servicesFile()) != null) {
                    kinds.add(kind);
                }
            }
            Attributes attributes = manifest(zip).getMainAttributes();
            return new JarFacts(
                    jar,
                    kinds,
                    Optional.ofNullable(attributes.getValue(SpiVersion.MANIFEST_ATTRIBUTE)),
                    Optional.ofNullable(attributes.getValue(Attributes.Name.IMPLEMENTATION_VERSION)),
                    zip.stream()
                            .map(ZipEntry::getName)
                            .filter(JarFacts::isSpiClass)
                            .findFirst());
        } catch (IllegalArgumentException e) {
            // Names in the archive that are not valid text.
            throw new IOException(e.getMessage(), e);
        }
    }

    private static Manifest manifest(ZipFile zip) throws IOException {
        ZipEntry entry = zip.getEntry(JarFile.MANIFEST_NAME);
        if (entry == null) {
            return new Manifest();
        }
        try (InputStream in = zip.getInputStream(entry)) {
            byte[] bytes = in.readNBytes(MAX_MANIFEST_BYTES + 1);
            if (bytes.length > MAX_MANIFEST_BYTES) {
                throw new IOException("its manifest is longer than " + MAX_MANIFEST_BYTES + " bytes");
            }
            return new Manifest(new ByteArrayInputStream(bytes));
        }
    }

    /** Also below {@code META-INF/versions}, where a multi-release jar hides them. */
    private static boolean isSpiClass(String name) {
        return name.endsWith(".class")
                && (name.startsWith(SPI_PATH)
                        || (name.startsWith("META-INF/versions/") && name.contains("/" + SPI_PATH)));
    }
}
