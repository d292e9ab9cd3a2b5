package dev.tandem.runtime.plugin;

import static dev.tandem.runtime.plugin.PluginFolder.find;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.Availability;
import dev.tandem.spi.Availability.Available;
import dev.tandem.spi.Availability.Reason;
import dev.tandem.spi.Availability.Unavailable;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BackendProbeTests {
    @TempDir
    Path plugins;

    @Test
    void passesTheDevicesOfAGoodProbe() {
        Available available = assertInstanceOf(Available.class, probe(""));
        assertEquals("fake driver", available.devices().getFirst().driver());
    }

    @Test
    void passesTheLoadersWordsAboutAMissingLibrary() {
        Unavailable why = assertInstanceOf(Unavailable.class, probe("""
                public Availability probe() {
                    try (java.lang.foreign.Arena arena = java.lang.foreign.Arena.ofConfined()) {
                        java.lang.foreign.SymbolLookup.libraryLookup("libtandem-no-such-driver.so.1", arena);
                        throw new AssertionError("found");
                    } catch (IllegalArgumentException e) {
                        return new Availability.Unavailable(Availability.Reason.LIBRARY_MISSING, e.getMessage(),
                                "Install the driver", Optional.of(e));
                    }
                }
                """));
        assertEquals(Reason.LIBRARY_MISSING, why.reason());
        assertTrue(why.detail().contains("libtandem-no-such-driver.so.1"), why.detail());
        assertEquals("Install the driver", why.remedy());
    }

    @Test
    void turnsAThrowingProbeIntoAnAnswerThatNamesThePlugin() {
        Unavailable why = assertInstanceOf(
                Unavailable.class, probe("public Availability probe() { throw new IllegalStateException(\"boom\"); }"));
        assertEquals(Reason.INTERNAL_ERROR, why.reason());
        assertEquals(
                "probe() of plugin 'acme' (" + plugins.resolve("acme.jar")
                        + ") failed: java.lang.IllegalStateException: boom",
                why.detail());
        assertInstanceOf(IllegalStateException.class, why.cause().orElseThrow());
    }

    @Test
    void turnsAMissingMethodIntoAnAnswer() {
        Unavailable why = assertInstanceOf(
                Unavailable.class,
                probe("public Availability probe() { throw new AbstractMethodError(\"old plugin\"); }"));
        assertTrue(why.detail().endsWith("java.lang.AbstractMethodError: old plugin"), why.detail());
    }

    @Test
    void turnsNullAnywhereIntoAnAnswer() {
        for (String answer : new String[] {
            "null",
            "new Availability.Available(null)",
            "new Availability.Available(List.of(new DeviceInfo(\"0\", \"x\", null, 0, 0, \"\")))",
            "new Availability.Available(List.of(new DeviceInfo(null, \"x\", DeviceInfo.Kind.CPU, 0, 0, \"\")))",
            "new Availability.Unavailable(Availability.Reason.NO_DEVICE, null, \"\", Optional.empty())",
            "new Availability.Unavailable(Availability.Reason.NO_DEVICE, \"\", \"\", null)"
        }) {
            Unavailable why = assertInstanceOf(
                    Unavailable.class, probe("public Availability probe() { return " + answer + "; }"), answer);
            assertEquals(Reason.INTERNAL_ERROR, why.reason(), answer);
            assertTrue(why.detail().contains("'acme'"), answer);
        }
    }

    @Test
    void letsAFailureOfTheJvmThrough() {
        assertThrows(
                OutOfMemoryError.class, () -> probe("public Availability probe() { throw new OutOfMemoryError(); }"));
    }

    private Availability probe(String members) {
        PluginJar.backend("acme", members).write(plugins.resolve("acme.jar"));
        return BackendProbe.probe(find(plugins).backend("acme").orElseThrow()).availability();
    }
}
