package dev.tandem.runtime.plugin;

import static dev.tandem.runtime.plugin.PluginFolder.dropped;
import static dev.tandem.runtime.plugin.PluginFolder.find;
import static dev.tandem.runtime.plugin.PluginFolder.message;
import static dev.tandem.runtime.plugin.PluginFolder.only;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.SpiVersion;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Directories, and who owns an id. */
class PluginFinderTests {
    @TempDir
    Path temp;

    private Path high;
    private Path low;

    @BeforeEach
    void makeDirectories() throws IOException {
        high = Files.createDirectories(temp.resolve("high"));
        low = Files.createDirectories(temp.resolve("low"));
    }

    @Test
    void listsEntriesInTheOrderOfDirectoriesAndNames() {
        PluginJar.backend("one").write(low.resolve("a.jar"));
        PluginJar.backend("two").write(high.resolve("b.jar"));
        PluginJar.backend("three").write(high.resolve("a/plugin.jar"));
        assertEquals(
                List.of(Optional.of("three"), Optional.of("two"), Optional.of("one")),
                dropped(find(high, low)).stream().map(PluginEntry::id).toList());
    }

    @Test
    void skipsWhatIsDisabledHiddenOrNoJar() throws IOException {
        PluginJar.backend("one").write(high.resolve("a.jar.disabled"));
        PluginJar.backend("two").write(high.resolve("folder.disabled/plugin.jar"));
        PluginJar.backend("three").write(high.resolve(".hidden.jar"));
        Files.writeString(high.resolve("README.txt"), "text");
        PluginJar.backend("four").write(high.resolve("folder/plugin.jar"));
        PluginJar.backend("five").write(high.resolve("folder/second.jar.disabled"));
        InstalledPlugins found = find(high);
        assertEquals(Optional.of("four"), only(found).id());
        assertEquals(PluginState.LOADED, only(found).state());
    }

    @Test
    void followsLinksAndNamesBothEnds() throws IOException {
        Path real = PluginJar.backend("acme").write(low.resolve("acme-1.0.jar"));
        Path link = Files.createSymbolicLink(high.resolve("acme.jar"), real);
        PluginEntry entry = only(find(high));
        assertEquals(PluginState.LOADED, entry.state());
        assertEquals(Optional.of(link), entry.origin().entry());
        assertEquals(Optional.of(real.toRealPath()), entry.origin().jar());
    }

    @Test
    void loadsAJarOnceThoughALinkLeadsToIt() throws IOException {
        Path real = PluginJar.backend("acme").write(low.resolve("acme.jar"));
        Files.createSymbolicLink(low.resolve("again.jar"), real);
        Files.createSymbolicLink(high.resolve("acme.jar"), real);
        assertEquals(PluginState.LOADED, only(find(high, low)).state());
    }

    @Test
    void letsTheHigherDirectoryOverrideWithANotice() {
        Path above = PluginJar.backend("acme").write(high.resolve("new.jar"));
        Path below = PluginJar.backend("acme").write(low.resolve("old.jar"));
        InstalledPlugins found = find(high, low);
        assertEquals(
                Optional.of(above), found.backend("acme").orElseThrow().origin().entry());
        PluginEntry overridden = dropped(found).getLast();
        assertEquals(PluginState.OVERRIDDEN, overridden.state());
        assertEquals(
                "overridden by " + above, overridden.problem().orElseThrow().reason());
        assertFalse(overridden.isBroken());
        assertEquals(
                List.of("backend 'acme' from " + above + " overrides " + below),
                found.report().notices());
    }

    @Test
    void disablesBothOfTwoInOneDirectoryAndNamesBothPaths() {
        Path one = PluginJar.backend("acme").write(high.resolve("a.jar"));
        Path two = PluginJar.backend("acme").write(high.resolve("b.jar"));
        InstalledPlugins found = find(high);
        assertFalse(found.backend("acme").isPresent());
        for (PluginEntry entry : dropped(found)) {
            assertEquals(PluginState.REFUSED, entry.state());
            assertEquals(Optional.of("acme"), entry.id());
            assertTrue(message(entry).contains(one.toString()), message(entry));
            assertTrue(message(entry).contains(two.toString()), message(entry));
        }
    }

    @Test
    void disablesBothOfTwoInOneJar() {
        PluginJar.backend("acme")
                .provider(ProviderKind.BACKEND, "acme.Other")
                .source("acme.Other", PluginJar.backendSource("acme", "Other", "acme", ""))
                .write(high.resolve("a.jar"));
        InstalledPlugins found = find(high);
        assertFalse(found.backend("acme").isPresent());
        assertTrue(message(dropped(found).getFirst()).contains("by " + high.resolve("a.jar") + " and by"));
    }

    @Test
    void usesTheLowerDirectoryWhereTheHigherOneIsAmbiguous() {
        PluginJar.backend("acme").write(high.resolve("a.jar"));
        PluginJar.backend("acme").write(high.resolve("b.jar"));
        Path below = PluginJar.backend("acme").write(low.resolve("c.jar"));
        assertEquals(
                Optional.of(below),
                find(high, low).backend("acme").orElseThrow().origin().entry());
    }

    @Test
    void refusesReservedIds() {
        for (String id : List.of("cpu", "auto", "none", "off")) {
            PluginJar.backend(id).write(high.resolve("a.jar"));
            PluginEntry entry = only(find(high));
            assertEquals(PluginState.REFUSED, entry.state());
            assertEquals(
                    "the id '" + id + "' is reserved for the runtime",
                    entry.problem().orElseThrow().reason());
        }
    }

    @Test
    void keepsBuiltInProvidersAndReservesTheirIds() throws IOException {
        Path builtIn = PluginJar.backend("house").write(temp.resolve("engine.jar"));
        Path impostor = PluginJar.backend("house").write(high.resolve("a.jar"));
        ClassLoader parent = PluginFinder.class.getClassLoader();
        try (URLClassLoader engine =
                new URLClassLoader(new URL[] {builtIn.toUri().toURL()}, parent)) {
            InstalledPlugins found = find(engine, SpiVersion.CURRENT, high);
            PluginOrigin origin = found.backend("house").orElseThrow().origin();
            assertEquals(PluginSource.APPLICATION, origin.source());
            assertEquals(Optional.of(builtIn), origin.entry());
            assertEquals(Optional.of(SpiVersion.CURRENT), origin.spiVersion());
            assertEquals(Optional.of(impostor), only(found).origin().entry());
            assertEquals(PluginState.REFUSED, only(found).state());
        }
    }

    @Test
    void keepsOneIdForABackendAndADraft() {
        PluginJar.backend("acme").write(high.resolve("a.jar"));
        PluginJar.empty()
                .spi("1.0")
                .provider(ProviderKind.DRAFT, "guess.Guess")
                .source("guess.Guess", PluginJar.draftSource("guess", "Guess", "acme"))
                .write(high.resolve("b.jar"));
        InstalledPlugins found = find(high);
        assertTrue(found.backend("acme").isPresent());
        assertTrue(found.draft("acme").isPresent());
    }

    @Test
    void notesADirectoryThatCannotBeRead() throws IOException {
        Path file = Files.createFile(temp.resolve("no-directory"));
        InstalledPlugins found = find(file);
        assertEquals(1, found.report().notices().size());
        assertTrue(found.report().notices().getFirst().startsWith("the plugin directory " + file + " cannot be read"));
    }

    @Test
    void findsNothingWithoutDirectories() {
        assertEquals(List.of(), dropped(find()));
    }
}
