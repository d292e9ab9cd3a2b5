package dev.tandem.runtime.plugin;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.tandem.spi.SpiVersion;
import dev.tandem.spi.backend.BackendProvider;
import java.io.IOException;
import java.io.OutputStream;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.SimpleJavaFileObject;
import javax.tools.ToolProvider;

/** Builds a plugin's jar as its author would: sources are compiled against the SPI, then packed with a manifest. */
final class PluginJar {
    /** Classes of the SPI, and nothing of the engine. */
    private static final Path SPI = locationOf(BackendProvider.class);

    private final Map<String, String> sources = new LinkedHashMap<>();
    private final Map<String, byte[]> files = new LinkedHashMap<>();
    private final Map<String, String> attributes = new LinkedHashMap<>();
    private final List<String> omitted = new ArrayList<>();

    private PluginJar() {}

    static PluginJar empty() {
        return new PluginJar();
    }

    /** A jar for the current SPI with one backend in class {@code acme.Acme} and whatever members are given. */
    static PluginJar backend(String id, String members) {
        return empty().spi(SpiVersion.CURRENT.toString())
                .attribute("Implementation-Version", "1.2.3")
                .provider(ProviderKind.BACKEND, "acme.Acme")
                .source("acme.Acme", backendSource("acme", "Acme", id, members));
    }

    static PluginJar backend(String id) {
        return backend(id, "");
    }

    /** A provider whose probe finds one device, unless {@code members} hold another probe. */
    static String backendSource(String packageName, String name, String id, String members) {
        String probe = """
                public Availability probe() {
                    return new Availability.Available(List.of(
                            new DeviceInfo("0", "fake", DeviceInfo.Kind.DISCRETE, 2L, 1L, "fake driver")));
                }
                """;
        return """
                package %s;
                import dev.tandem.spi.*;
                import dev.tandem.spi.backend.*;
                import java.util.*;
                public class %s implements BackendProvider {
                    public String id() { return "%s"; }
                    public Backend open(DeviceInfo device, OpenOptions options) {
                        throw new UnsupportedOperationException();
                    }
                    %s
                    %s
                }
                """.formatted(packageName, name, id, members.contains("probe()") ? "" : probe, members);
    }

    static String draftSource(String packageName, String name, String id) {
        return """
                package %s;
                import dev.tandem.spi.draft.*;
                public class %s implements DraftProvider {
                    public String id() { return "%s"; }
                    public DraftPlan plan(DraftQuery query) { return new DraftPlan.Unsupported("a fake", "none"); }
                    public DraftModel open(DraftQuery query, DraftHost host) {
                        throw new UnsupportedOperationException();
                    }
                }
                """.formatted(packageName, name, id);
    }

    PluginJar spi(String version) {
        return attribute(SpiVersion.MANIFEST_ATTRIBUTE, version);
    }

    PluginJar withoutSpi() {
        attributes.remove(SpiVersion.MANIFEST_ATTRIBUTE);
        return this;
    }

    PluginJar attribute(String name, String value) {
        attributes.put(name, value);
        return this;
    }

    PluginJar source(String className, String source) {
        sources.put(className, source);
        return this;
    }

    /** Compiles a class with the others, then leaves it out of the jar. */
    PluginJar omit(String className) {
        omitted.add(className.replace('.', '/') + ".class");
        return this;
    }

    PluginJar file(String name, String text) {
        files.put(name, text.getBytes(UTF_8));
        return this;
    }

    /** Adds a line to the services file of a kind. */
    PluginJar provider(ProviderKind kind, String className) {
        files.merge(
                kind.servicesFile(),
                (className + "\n").getBytes(UTF_8),
                (a, b) -> (new String(a, UTF_8) + new String(b, UTF_8)).getBytes(UTF_8));
        return this;
    }

    Path write(Path jar) {
        try {
            Files.createDirectories(jar.toAbsolutePath().getParent());
            Manifest manifest = new Manifest();
            manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
            attributes.forEach((name, value) -> manifest.getMainAttributes().putValue(name, value));
            Map<String, byte[]> all = new LinkedHashMap<>(files);
            all.putAll(compile());
            omitted.forEach(all::remove);
            try (OutputStream out = Files.newOutputStream(jar);
                    JarOutputStream zip = new JarOutputStream(out, manifest)) {
                for (Map.Entry<String, byte[]> file : all.entrySet()) {
                    zip.putNextEntry(new ZipEntry(file.getKey()));
                    zip.write(file.getValue());
                    zip.closeEntry();
                }
            }
            return jar;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Writes an archive of one file, whose text no library would write as a manifest. */
    static void writeRaw(Path jar, String name, String text) {
        try (OutputStream out = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            zip.putNextEntry(new ZipEntry(name));
            zip.write(text.getBytes(UTF_8));
            zip.closeEntry();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Map<String, byte[]> compile() throws IOException {
        Map<String, byte[]> classes = new LinkedHashMap<>();
        if (sources.isEmpty()) {
            return classes;
        }
        Path output = Files.createTempDirectory("plugin-classes");
        try {
            JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
            StringWriter messages = new StringWriter();
            List<String> options = List.of("-d", output.toString(), "-cp", SPI.toString(), "-proc:none", "-Xlint:none");
            List<Source> units = sources.entrySet().stream()
                    .map(e -> new Source(e.getKey(), e.getValue()))
                    .toList();
            if (!compiler.getTask(messages, null, null, options, null, units).call()) {
                throw new IllegalStateException("the test's plugin does not compile: " + messages);
            }
            for (Path file : below(output)) {
                if (Files.isRegularFile(file)) {
                    classes.put(output.relativize(file).toString().replace('\\', '/'), Files.readAllBytes(file));
                }
            }
            return classes;
        } finally {
            for (Path file : below(output).reversed()) {
                Files.delete(file);
            }
        }
    }

    private static List<Path> below(Path root) throws IOException {
        try (Stream<Path> files = Files.walk(root)) {
            return files.sorted().toList();
        }
    }

    private static Path locationOf(Class<?> type) {
        try {
            return Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }

    private static final class Source extends SimpleJavaFileObject {
        private final String text;

        Source(String className, String text) {
            super(URI.create("string:///" + className.replace('.', '/') + ".java"), JavaFileObject.Kind.SOURCE);
            this.text = text;
        }

        @Override
        public CharSequence getCharContent(boolean ignoreEncodingErrors) {
            return text;
        }
    }
}
