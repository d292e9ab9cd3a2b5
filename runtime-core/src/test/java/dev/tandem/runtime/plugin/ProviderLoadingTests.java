package dev.tandem.runtime.plugin;

import static dev.tandem.runtime.plugin.PluginFolder.dropped;
import static dev.tandem.runtime.plugin.PluginFolder.find;
import static dev.tandem.runtime.plugin.PluginFolder.message;
import static dev.tandem.runtime.plugin.PluginFolder.only;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.SpiVersion;
import dev.tandem.spi.backend.BackendProvider;
import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ProviderLoadingTests {
    @TempDir
    Path plugins;

    @Test
    void loadsAGoodJarAndReportsWhatItsManifestSays() throws IOException {
        Path jar = PluginJar.backend("acme").write(plugins.resolve("acme.jar"));
        InstalledPlugins found = find(plugins);
        LoadedProvider<BackendProvider> loaded = found.backend("acme").orElseThrow();
        assertEquals("acme", loaded.provider().id());
        assertEquals(
                new PluginOrigin(
                        PluginSource.OPTION,
                        Optional.of(jar),
                        Optional.of(jar.toRealPath()),
                        Optional.of("1.2.3"),
                        Optional.of(SpiVersion.CURRENT)),
                loaded.origin());
        assertEquals(PluginEntry.loaded(loaded.origin(), ProviderKind.BACKEND, "acme"), only(found));
    }

    @Test
    void loadsBackendsAndDraftsOfOneJar() {
        PluginJar.backend("acme")
                .provider(ProviderKind.DRAFT, "acme.Guess")
                .source("acme.Guess", PluginJar.draftSource("acme", "Guess", "acme"))
                .write(plugins.resolve("acme.jar"));
        InstalledPlugins found = find(plugins);
        assertTrue(found.backend("acme").isPresent());
        assertEquals(Set.of("acme"), Set.copyOf(found.drafts().keySet()));
        assertEquals(2, dropped(found).size());
    }

    @Test
    void loadsAFolderOfJarsWithOneLoader() {
        PluginJar.empty()
                .source("acme.lib.Words", "package acme.lib; public class Words { public String id; }")
                .write(plugins.resolve("acme/library.jar"));
        PluginJar.backend("acme", "private final acme.lib.Words words = new acme.lib.Words();")
                .source("acme.lib.Words", "package acme.lib; public class Words { public String id; }")
                .omit("acme.lib.Words")
                .write(plugins.resolve("acme/plugin.jar"));
        InstalledPlugins found = find(plugins);
        assertEquals(PluginState.LOADED, only(found).state());
        assertTrue(only(found).origin().jar().orElseThrow().endsWith("plugin.jar"));
    }

    @Test
    void reportsAThrowingConstructorWithItsWords() {
        PluginJar.backend("acme", "public Acme() { throw new IllegalStateException(\"no\\nluck\"); }")
                .write(plugins.resolve("acme.jar"));
        assertFailed("Provider acme.Acme could not be instantiated: java.lang.IllegalStateException: no luck");
    }

    @Test
    void reportsAThrowingStaticInitialiserWithItsWords() {
        PluginJar.backend("acme", "static { if (true) throw new IllegalStateException(\"static\"); }")
                .write(plugins.resolve("acme.jar"));
        assertFailed("Provider acme.Acme could not be instantiated: java.lang.IllegalStateException: static");
    }

    @Test
    void reportsAMissingDependency() {
        PluginJar.backend("acme", "private final Missing missing = new Missing();")
                .source("acme.Missing", "package acme; class Missing {}")
                .omit("acme.Missing")
                .write(plugins.resolve("acme.jar"));
        assertFailed("java.lang.ClassNotFoundException: acme.Missing");
    }

    @Test
    void reportsAMissingSuperclass() {
        PluginJar.backend("acme")
                .source("acme.Base", "package acme; public class Base {}")
                .source(
                        "acme.Acme",
                        PluginJar.backendSource("acme", "Acme", "acme", "")
                                .replace("class Acme implements", "class Acme extends Base implements"))
                .omit("acme.Base")
                .write(plugins.resolve("acme.jar"));
        assertFailed("java.lang.ClassNotFoundException: acme.Base");
    }

    @Test
    void reportsAProviderThatIsNoSubtype() {
        PluginJar.backend("acme")
                .source("acme.Acme", "package acme; public class Acme {}")
                .write(plugins.resolve("acme.jar"));
        assertFailed("acme.Acme not a subtype");
    }

    @Test
    void reportsAProviderThatIsNotThere() {
        PluginJar.empty()
                .spi("1.0")
                .provider(ProviderKind.BACKEND, "acme.Nowhere")
                .write(plugins.resolve("acme.jar"));
        assertFailed("Provider acme.Nowhere not found");
    }

    @Test
    void refusesAServicesFileThatNamesNobody() {
        PluginJar.empty()
                .spi("1.0")
                .file(ProviderKind.BACKEND.servicesFile(), "# nobody\n")
                .write(plugins.resolve("acme.jar"));
        assertEquals("its services file names no provider: update the plugin", message(only(find(plugins))));
    }

    @Test
    void reportsAMalformedServicesFile() {
        PluginJar.empty()
                .spi("1.0")
                .file(ProviderKind.BACKEND.servicesFile(), "two words\n")
                .write(plugins.resolve("acme.jar"));
        assertEquals(PluginState.FAILED, only(find(plugins)).state());
    }

    @Test
    void keepsTheGoodProvidersOfAJarWithABadOne() {
        PluginJar.empty()
                .spi("1.0")
                .provider(ProviderKind.BACKEND, "acme.Nowhere")
                .provider(ProviderKind.BACKEND, "acme.Bad")
                .provider(ProviderKind.BACKEND, "acme.Good")
                .source("acme.Bad", PluginJar.backendSource("acme", "Bad", "bad", "{ if (true) throw new Error(); }"))
                .source("acme.Good", PluginJar.backendSource("acme", "Good", "good", ""))
                .write(plugins.resolve("acme.jar"));
        InstalledPlugins found = find(plugins);
        assertEquals(
                List.of(PluginState.FAILED, PluginState.FAILED, PluginState.LOADED),
                dropped(found).stream().map(PluginEntry::state).toList());
        assertTrue(found.backend("good").isPresent());
    }

    @Test
    void goesOnAfterEveryKindOfBadPlugin() {
        PluginJar.backend("bad", "public Acme() { throw new LinkageError(); }").write(plugins.resolve("a.jar"));
        PluginJar.backend("bad").spi("9.0").write(plugins.resolve("b.jar"));
        PluginJar.backend("good").write(plugins.resolve("c.jar"));
        InstalledPlugins found = find(plugins);
        assertEquals(
                List.of(PluginState.FAILED, PluginState.REFUSED, PluginState.LOADED),
                dropped(found).stream().map(PluginEntry::state).toList());
        assertEquals(2, found.report().broken().size());
        assertTrue(found.backend("good").isPresent());
    }

    @Test
    void letsAFailureOfTheJvmThrough() {
        PluginJar.backend("acme", "public Acme() { throw new OutOfMemoryError(\"staged\"); }")
                .write(plugins.resolve("acme.jar"));
        OutOfMemoryError error = assertThrows(OutOfMemoryError.class, () -> find(plugins));
        assertEquals("staged", error.getMessage());
    }

    @Test
    void survivesAnExceptionThatCannotPrintItself() {
        PluginJar.backend("acme", """
                public Acme() {
                    throw new IllegalStateException() {
                        @Override public String toString() { throw new IllegalStateException("twice"); }
                    };
                }
                """).write(plugins.resolve("acme.jar"));
        assertFailed("could not be instantiated: acme.Acme$1");
    }

    @Test
    void hidesTheEngineFromPlugins() {
        PluginJar.backend("acme", """
                public Acme() throws Exception { Class.forName("dev.tandem.runtime.plugin.PluginFinder"); }
                """).write(plugins.resolve("acme.jar"));
        assertFailed("java.lang.ClassNotFoundException: dev.tandem.runtime.plugin.PluginFinder");
    }

    @Test
    void givesTwoPluginsWithTheSameClassesALoaderEach() {
        PluginJar.backend("one").write(plugins.resolve("a.jar"));
        PluginJar.backend("two").write(plugins.resolve("b.jar"));
        InstalledPlugins found = find(plugins);
        Class<?> one = found.backend("one").orElseThrow().provider().getClass();
        Class<?> two = found.backend("two").orElseThrow().provider().getClass();
        assertEquals(one.getName(), two.getName());
        assertNotSame(one, two);
    }

    @Test
    void showsPluginsOnlyTheirOwnResources() throws IOException {
        PluginJar.backend("acme").file("acme/words.txt", "mine").write(plugins.resolve("acme.jar"));
        ClassLoader loader = find(plugins)
                .backend("acme")
                .orElseThrow()
                .provider()
                .getClass()
                .getClassLoader();
        assertInstanceOf(PluginClassLoader.class, loader);
        assertNotNull(loader.getResource("acme/words.txt"));
        assertNull(loader.getResource("dev/tandem/runtime/plugin/PluginFinder.class"));
        assertNull(loader.getResource("java/lang/Object.class"));
        assertEquals(List.of(), Collections.list(loader.getResources("java/lang/Object.class")));
        assertEquals(
                1,
                Collections.list(loader.getResources(ProviderKind.BACKEND.servicesFile()))
                        .size());
    }

    @Test
    void givesUpOnALoaderThatCanOnlyFail() {
        ClassLoader broken = new ClassLoader(null) {
            @Override
            public Enumeration<URL> getResources(String name) throws IOException {
                throw new IOException("the jar is gone");
            }
        };
        PluginOrigin origin = PluginOrigin.ofEntry(PluginSource.OPTION, plugins);
        List<ProviderLoading.Found> found =
                new ProviderLoading(broken, true, type -> origin).load(ProviderKind.BACKEND);
        assertTrue(!found.isEmpty() && found.size() < 100, found::toString);
        for (ProviderLoading.Found one : found) {
            assertInstanceOf(ProviderLoading.Found.Bad.class, one);
        }
    }

    @Test
    void refusesAProviderOfAnotherLoader() throws IOException {
        PluginJar.empty()
                .spi("1.0")
                .provider(ProviderKind.BACKEND, "dev.tandem.spi.stray.Stray")
                .write(plugins.resolve("acme.jar"));
        try (URLClassLoader engine = engineWithStrayProvider()) {
            PluginEntry entry = only(find(engine, SpiVersion.CURRENT, plugins));
            assertEquals(PluginState.REFUSED, entry.state());
            assertEquals(
                    "dev.tandem.spi.stray.Stray is not a class of this plugin",
                    entry.problem().orElseThrow().reason());
        }
    }

    @Test
    void refusesIdsOfTheWrongForm() {
        for (String id : List.of("", "Acme", "9acme", "a_b", "a b", "\\u001b[31m", "a".repeat(33))) {
            PluginJar.backend(id).write(plugins.resolve("acme.jar"));
            PluginEntry entry = only(find(plugins));
            assertEquals(PluginState.REFUSED, entry.state(), id);
            assertTrue(message(entry).contains("does not have the form [a-z][a-z0-9-]{0,31}"), message(entry));
            assertTrue(message(entry).chars().noneMatch(Character::isISOControl), id);
        }
    }

    @Test
    void reportsAnIdThatIsNullOrThrows() {
        String source = PluginJar.backendSource("acme", "Acme", "acme", "");
        PluginJar jar = PluginJar.backend("acme");
        jar.source("acme.Acme", source.replace("return \"acme\";", "return null;"))
                .write(plugins.resolve("acme.jar"));
        assertFailed("acme.Acme.id() answered null");
        jar.source("acme.Acme", source.replace("return \"acme\";", "throw new IllegalStateException(\"who?\");"))
                .write(plugins.resolve("acme.jar"));
        assertFailed("acme.Acme.id() failed: java.lang.IllegalStateException: who?");
    }

    /** An engine whose class path holds one more provider, in a package that plugins can see. */
    private URLClassLoader engineWithStrayProvider() throws MalformedURLException {
        Path jar = PluginJar.empty()
                .provider(ProviderKind.BACKEND, "dev.tandem.spi.stray.Stray")
                .source(
                        "dev.tandem.spi.stray.Stray",
                        PluginJar.backendSource("dev.tandem.spi.stray", "Stray", "stray", ""))
                .write(plugins.resolve("not-scanned.jar.disabled"));
        return new URLClassLoader(new URL[] {jar.toUri().toURL()}, PluginFinder.class.getClassLoader());
    }

    /** The jar's only provider failed, and the report says so in one line with the remedy and the cause. */
    private void assertFailed(String part) {
        PluginEntry entry = only(find(plugins));
        assertEquals(PluginState.FAILED, entry.state());
        assertEquals(Optional.of(ProviderKind.BACKEND), entry.kind());
        assertTrue(message(entry).contains(part), () -> message(entry));
        assertTrue(message(entry).endsWith(": remove or update the plugin"), () -> message(entry));
    }
}
