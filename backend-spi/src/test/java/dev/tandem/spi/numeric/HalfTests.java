package dev.tandem.spi.numeric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class HalfTests {
    @Test
    void everyHalfSurvivesTheWayThroughFloat() {
        for (int bits = 0; bits < 1 << 16; bits++) {
            float f16 = Half.f16ToFloat((short) bits);
            if (!Float.isNaN(f16)) {
                assertEquals((short) bits, Half.floatToF16(f16));
            }
            float bf16 = Half.bf16ToFloat((short) bits);
            if (!Float.isNaN(bf16)) {
                assertEquals((short) bits, Half.floatToBf16(bf16));
            }
        }
    }

    @Test
    void binary16ReadsSignExponentAndMantissa() {
        assertEquals(1f, Half.f16ToFloat((short) 0x3C00));
        assertEquals(-2.5f, Half.f16ToFloat((short) 0xC100));
        assertEquals(0x1p-24f, Half.f16ToFloat((short) 1));
        assertEquals(65504f, Half.f16ToFloat((short) 0x7BFF));
    }

    @Test
    void tiesGoToTheEvenNeighbour() {
        assertEquals((short) 0x3C00, Half.floatToF16(1f + 0x1p-11f));
        assertEquals((short) 0x3C02, Half.floatToF16(1f + 3 * 0x1p-11f));
        assertEquals((short) 0x3F80, Half.floatToBf16(1f + 0x1p-8f));
        assertEquals((short) 0x3F82, Half.floatToBf16(1f + 3 * 0x1p-8f));
    }

    @Test
    void bfloat16IsTheNearestOfItsNeighbours() {
        long seed = 7;
        Random random = new Random(seed);
        for (int i = 0; i < 200_000; i++) {
            float x = Float.intBitsToFloat(random.nextInt());
            short rounded = Half.floatToBf16(x);
            if (Float.isFinite(x) && Float.isFinite(Half.bf16ToFloat(rounded))) {
                double error = Math.abs((double) Half.bf16ToFloat(rounded) - x);
                double above = Math.abs((double) Half.bf16ToFloat((short) (rounded + 1)) - x);
                assertTrue(error <= above, () -> x + " with seed " + seed);
                if ((rounded & 0x7FFF) != 0) {
                    double below = Math.abs((double) Half.bf16ToFloat((short) (rounded - 1)) - x);
                    assertTrue(error <= below, () -> x + " with seed " + seed);
                }
            }
        }
    }

    @Test
    void overflowIsInfiniteAndNotANumberStays() {
        assertEquals(Float.POSITIVE_INFINITY, Half.f16ToFloat(Half.floatToF16(65520f)));
        assertEquals(65504f, Half.f16ToFloat(Half.floatToF16(65519.996f)));
        assertEquals(Float.NEGATIVE_INFINITY, Half.bf16ToFloat(Half.floatToBf16(-Float.MAX_VALUE)));
        for (int bits : new int[] {0x7F800001, 0x7FFFFFFF, 0xFF80FFFF, 0xFFFFFFFF}) {
            assertTrue(Float.isNaN(Half.bf16ToFloat(Half.floatToBf16(Float.intBitsToFloat(bits)))));
            assertTrue(Float.isNaN(Half.f16ToFloat(Half.floatToF16(Float.intBitsToFloat(bits)))));
        }
    }
}
