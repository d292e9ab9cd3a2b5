package dev.tandem.runtime.plugin;

import static dev.tandem.runtime.plugin.PluginFolder.find;
import static dev.tandem.runtime.plugin.PluginFolder.message;
import static dev.tandem.runtime.plugin.PluginFolder.only;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.SpiVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Every jar here is refused before a class of it loads: the providers would set this property. */
class JarVettingTests {
    private static final SpiVersion RUNTIME = new SpiVersion(1, 1);
    private static final String WITNESS = "tandem.test.vetting.witness";
    private static final String TELLTALE = "static { System.setProperty(\"" + WITNESS + "\", \"loaded\"); }";

    @TempDir
    Path plugins;

    @AfterEach
    void noClassWasLoaded() {
        String witness = System.clearProperty(WITNESS);
        assertNull(witness);
    }

    @Test
    void refusesAFileOfNoBytes() throws IOException {
        Files.createFile(plugins.resolve("empty.jar"));
        assertRefused(only(find(plugins)), "not a readable jar (");
    }

    @Test
    void refusesAnArchiveWithoutServices() {
        PluginJar.empty().spi("1.0").write(plugins.resolve("library.jar"));
        PluginEntry entry = only(find(plugins));
        assertRefused(entry, "no services file offers a backend or a draft strategy: remove it");
        assertEquals(Optional.empty(), entry.kind());
    }

    @Test
    void refusesTruncatedAndOverwrittenJars() throws IOException {
        byte[] good = Files.readAllBytes(telltale().write(plugins.resolve("cut.jar")));
        Files.write(plugins.resolve("cut.jar"), Arrays.copyOf(good, good.length / 2));
        assertRefused(only(find(plugins)), "not a readable jar (java.util.zip.ZipException");

        Arrays.fill(good, good.length - 60, good.length, (byte) 0x7f);
        Files.write(plugins.resolve("cut.jar"), good);
        assertRefused(only(find(plugins)), "not a readable jar (");
    }

    @Test
    void refusesAManifestThatIsNone() {
        PluginEntry entry = only(find(writeWithManifestText("no colon here\n")));
        assertRefused(entry, "not a readable jar (java.io.IOException");
    }

    @Test
    void refusesAManifestOfUnreasonableLength() {
        PluginEntry entry = only(find(writeWithManifestText("X: " + "y".repeat(1 << 20) + "\n")));
        assertRefused(entry, "its manifest is longer than 1048576 bytes");
    }

    @Test
    void refusesPluginBuiltForNewerSpi() {
        telltale().spi("1.2").write(plugins.resolve("acme.jar"));
        PluginEntry entry = only(find(RUNTIME, plugins));
        assertEquals("needs SPI 1.2, this runtime has 1.1: update the runtime", message(entry));
        assertEquals(PluginState.REFUSED, entry.state());
        assertEquals(Optional.of(new SpiVersion(1, 2)), entry.origin().spiVersion());
        assertEquals(Optional.of("1.2.3"), entry.origin().version());
        assertEquals(Optional.of(ProviderKind.BACKEND), entry.kind());
        assertEquals(Optional.empty(), entry.id());
    }

    @Test
    void refusesPluginOfAnotherMajorAndSaysWhoIsOld() {
        telltale().spi("2.0").write(plugins.resolve("acme.jar"));
        assertEquals("needs SPI 2.0, this runtime has 1.1: update the runtime", message(only(find(RUNTIME, plugins))));
        telltale().spi("0.9").write(plugins.resolve("acme.jar"));
        assertEquals("needs SPI 0.9, this runtime has 1.1: update the plugin", message(only(find(RUNTIME, plugins))));
    }

    @Test
    void refusesPluginThatStatesNoSpiVersionOrNonsense() {
        telltale().withoutSpi().write(plugins.resolve("acme.jar"));
        assertEquals(
                "the manifest of acme.jar has no Spi-Version: build the plugin with 'Spi-Version: 1.1' in it",
                message(only(find(RUNTIME, plugins))));
        for (String nonsense : List.of("1", "1.x", "-1.0", "1.0.0", "99999999999.0")) {
            telltale().spi(nonsense).write(plugins.resolve("acme.jar"));
            assertRefused(only(find(plugins)), "Spi-Version '" + nonsense + "' is not a version such as");
        }
    }

    @Test
    void refusesPluginThatBundlesTheSpi() {
        telltale()
                .source("dev.tandem.spi.Extra", "package dev.tandem.spi; public class Extra {}")
                .write(plugins.resolve("acme.jar"));
        assertRefused(only(find(plugins)), "bundles dev/tandem/spi/Extra.class, which only the runtime may supply");
    }

    @Test
    void refusesPluginThatHidesTheSpiInAMultiReleaseFolder() {
        telltale()
                .file("META-INF/versions/25/dev/tandem/spi/SpiVersion.class", "anything")
                .write(plugins.resolve("acme.jar"));
        assertRefused(only(find(plugins)), "which only the runtime may supply");
    }

    @Test
    void readsTheVersionFromTheJarOfTheServicesFile() {
        telltale().spi("1.2").write(plugins.resolve("folder/b-plugin.jar"));
        PluginJar.empty().spi("1.0").write(plugins.resolve("folder/a-library.jar"));
        PluginEntry entry = only(find(RUNTIME, plugins));
        assertEquals("needs SPI 1.2, this runtime has 1.1: update the runtime", message(entry));
        assertTrue(entry.origin().jar().orElseThrow().endsWith("b-plugin.jar"));
        assertTrue(entry.origin().entry().orElseThrow().endsWith("folder"));
    }

    @Test
    void refusesAFolderForItsOneBadJarAndNamesIt() throws IOException {
        telltale().write(plugins.resolve("folder/a.jar"));
        Files.writeString(plugins.resolve("folder/b.jar"), "not a jar");
        assertRefused(only(find(plugins)), "b.jar: not a readable jar (");
    }

    @Test
    void refusesAFolderWithoutJars() throws IOException {
        Files.createDirectories(plugins.resolve("folder"));
        assertRefused(only(find(plugins)), "the directory holds no jar");
    }

    @Test
    void refusesALinkThatLeadsToNothing() throws IOException {
        Files.createSymbolicLink(plugins.resolve("gone.jar"), plugins.resolve("elsewhere.jar"));
        PluginEntry entry = only(find(plugins));
        assertRefused(entry, "the link leads to nothing");
        assertFalse(entry.problem().orElseThrow().cause().isEmpty());
    }

    private static PluginJar telltale() {
        return PluginJar.backend("acme", TELLTALE);
    }

    private Path writeWithManifestText(String text) {
        Path jar = plugins.resolve("acme.jar");
        PluginJar.writeRaw(jar, "META-INF/MANIFEST.MF", text);
        return plugins;
    }

    private static void assertRefused(PluginEntry entry, String part) {
        assertEquals(PluginState.REFUSED, entry.state());
        assertTrue(message(entry).contains(part), () -> message(entry));
    }
}
