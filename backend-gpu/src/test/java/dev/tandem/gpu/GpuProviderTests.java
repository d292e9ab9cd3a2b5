package dev.tandem.gpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.gpu.ffm.DriverFunction;
import dev.tandem.gpu.ffm.DriverTable;
import dev.tandem.spi.Availability.Reason;
import dev.tandem.spi.Availability.Unavailable;
import dev.tandem.spi.DeviceException;
import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.backend.BackendProvider.OpenOptions;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What a probe says where there is no driver, or none that can be used. */
@EnabledOnOs(OS.LINUX)
final class GpuProviderTests {
    @TempDir
    Path folder;

    private static GpuProvider provider(String... libraries) {
        DriverTable table = new DriverTable(
                "Test", List.of(libraries), Map.of(DriverFunction.INIT, "test_init"), Map.of(), false, false);
        GpuVendor vendor = new GpuVendor(
                "test", table, List.of("/no-image"), number -> "", "Install the driver.", "Look for the card.");
        return new GpuProvider(vendor) {};
    }

    private static Unavailable probe(String... libraries) {
        return assertInstanceOf(Unavailable.class, provider(libraries).probe());
    }

    @Test
    void aMissingLibraryIsReportedInTheLoadersWordsWithAllNamesTried() {
        Unavailable answer = probe("libtest-one.so.1", "libtest-two.so");

        assertEquals(Reason.LIBRARY_MISSING, answer.reason());
        assertEquals(
                "libtest-one.so.1: cannot open shared object file: No such file or directory"
                        + " (also tried libtest-two.so)",
                answer.detail());
        assertEquals("Install the driver.", answer.remedy());
    }

    @Test
    void aFileThatIsNoLibraryIsReportedBeforeOneThatIsMissing() throws IOException {
        Path file = Files.writeString(folder.resolve("libtest.so"), "no library");
        Unavailable answer = probe("libtest-one.so.1", file.toString());

        assertEquals(Reason.LIBRARY_UNLOADABLE, answer.reason());
        assertTrue(answer.detail().startsWith(file + ": "), answer.detail());
    }

    @Test
    void aLibraryWithoutTheFunctionsIsTooOldAndTheMessageNamesTheFunction() {
        Unavailable answer = probe("libm.so.6");

        assertEquals(Reason.DRIVER_TOO_OLD, answer.reason());
        assertEquals("libm.so.6 has no function test_init", answer.detail());
    }

    @Test
    void openingWithoutADriverFailsAsADeviceDoes() {
        DeviceInfo device = new DeviceInfo("0", "card", DeviceInfo.Kind.DISCRETE, -1, -1, "Test 1");
        DeviceException failure = assertThrows(
                DeviceException.class, () -> provider("libtest-one.so.1").open(device, OpenOptions.DEFAULT));

        assertTrue(failure.lost());
    }
}
