package dev.tandem.spi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

final class SpiVersionTests {
    @Test
    void acceptsTheSameMajorUpToItsOwnMinor() {
        SpiVersion runtime = new SpiVersion(1, 2);
        assertTrue(runtime.accepts(SpiVersion.parse("1.0")));
        assertTrue(runtime.accepts(SpiVersion.parse(" 1.2 ")));
        assertFalse(runtime.accepts(SpiVersion.parse("1.3")));
        assertFalse(runtime.accepts(SpiVersion.parse("0.9")));
        assertFalse(runtime.accepts(SpiVersion.parse("2.0")));
        assertTrue(SpiVersion.parse("1.10").compareTo(runtime) > 0);
        assertEquals("1.2", runtime.toString());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1", "1.", ".1", "1.2.3", "-1.0", "1.x", "1.99999999999"})
    void refusesWhatIsNoVersion(String text) {
        assertThrows(IllegalArgumentException.class, () -> SpiVersion.parse(text));
    }

    @ParameterizedTest
    @EnumSource(ErrorCode.class)
    void everyErrorCodeHasARemedy(ErrorCode code) {
        assertTrue(code.remedy().length() > 10 && code.remedy().endsWith("."), code.remedy());
    }

    @Test
    void anErrorWithoutARemedyOfItsOwnHasThatOfItsCode() {
        assertEquals(
                ErrorCode.DEVICE_LOST.remedy(),
                new DeviceException(ErrorCode.DEVICE_LOST, "gone", true, null).remedy());
        assertEquals("Do this.", new UsageException(ErrorCode.BAD_ARGUMENT, "no", "Do this.").remedy());
    }
}
