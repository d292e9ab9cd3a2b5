package dev.tandem.spi.numeric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.function.DoubleUnaryOperator;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;

class FunctionsTests {
    /** A function under test; method references to {@link Functions} fit. */
    @FunctionalInterface
    private interface FloatFunction {
        float apply(float x);
    }

    /** Odd, so that every exponent and every low bit pattern comes up. */
    private static final int STRIDE = 9973;

    private static final int SAMPLES_PER_EXPONENT = 2000;
    private static final long SEED = 20260104;

    private static final long CRC_EXP = 0xb6929c0cL;
    private static final long CRC_LOG = 0x89b1b750L;
    private static final long CRC_TANH = 0x77c5bd02L;
    private static final long CRC_ERF = 0x521e9705L;

    @Test
    void expIsWithinOneUlp() {
        assertWithin(1.0, Functions::exp, StrictMath::exp, Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY);
    }

    @Test
    void logIsWithinOneUlp() {
        assertWithin(1.0, Functions::log, StrictMath::log, Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY);
    }

    @Test
    void tanhIsWithinTwoUlp() {
        assertWithin(2.0, Functions::tanh, StrictMath::tanh, Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY);
    }

    @Test
    void sigmoidIsWithinTwoAndAHalfUlpUntilItsExponentialOverflows() {
        DoubleUnaryOperator exact = x -> 1 / (1 + StrictMath.exp(-x));
        assertWithin(2.5, Functions::sigmoid, exact, -88f, Float.POSITIVE_INFINITY);
        assertEquals(0f, Functions.sigmoid(-88.8f));
    }

    @Test
    void softplusIsWithinTwoAndAHalfUlpAboveZeroAndAbsolutelyBelow() {
        DoubleUnaryOperator exact = x -> Math.max(x, 0) + StrictMath.log1p(StrictMath.exp(-Math.abs(x)));
        assertWithin(2.5, Functions::softplus, exact, 0f, Float.POSITIVE_INFINITY);
        for (int bits = 0x80000000; bits < 0xC3000000; bits += STRIDE) {
            float x = Float.intBitsToFloat(bits);
            assertEquals(exact.applyAsDouble(x), Functions.softplus(x), 0x1p-23, () -> "softplus " + x);
        }
    }

    @Test
    void geluAndSiluAreCloseRelativeToTheirArgument() {
        for (float x = -12f; x < 12f; x += 0.0007f) {
            double bound = Math.abs(x) * 0x1p-22 + Float.MIN_VALUE;
            double tanh = StrictMath.tanh(Math.sqrt(2 / Math.PI) * (x + 0.044715 * x * (double) x * x));
            assertEquals(0.5 * x * (1 + tanh), Functions.geluTanh(x), bound);
            assertEquals(0.5 * x * (1 + erf(x / Math.sqrt(2))), Functions.geluErf(x), bound);
            assertEquals(x / (1 + StrictMath.exp(-x)), Functions.silu(x), bound);
        }
    }

    @Test
    void erfIsWithinTwoUlp() {
        assertWithin(2.0, Functions::erf, FunctionsTests::erf, Float.NEGATIVE_INFINITY, Float.POSITIVE_INFINITY);
    }

    @Test
    void limitsAreRight() {
        float infinity = Float.POSITIVE_INFINITY;
        assertBits(0f, Functions.exp(-infinity));
        assertBits(infinity, Functions.exp(infinity));
        assertBits(1f, Functions.exp(-0f));
        assertBits(-infinity, Functions.log(0f));
        assertBits(-infinity, Functions.log(-0f));
        assertBits(0f, Functions.log(1f));
        assertBits(infinity, Functions.log(infinity));
        assertTrue(Float.isNaN(Functions.log(-Float.MIN_VALUE)));
        assertTrue(Float.isNaN(Functions.log(-infinity)));
        assertBits(1f, Functions.tanh(infinity));
        assertBits(-1f, Functions.tanh(-infinity));
        assertBits(-0f, Functions.tanh(-0f));
        assertBits(-0f, Functions.erf(-0f));
        assertBits(1f, Functions.erf(infinity));
        assertBits(0f, Functions.sigmoid(-infinity));
        assertBits(1f, Functions.sigmoid(infinity));
        assertBits(0.5f, Functions.sigmoid(-0f));
        assertBits(0f, Functions.softplus(-infinity));
        assertBits(infinity, Functions.softplus(infinity));
    }

    @Test
    void subnormalsAreNotFlushed() {
        assertBits((float) StrictMath.exp(-100), Functions.exp(-100f));
        assertBits(Float.MIN_VALUE, Functions.exp(-103.5f));
        assertBits((float) StrictMath.log(Float.MIN_VALUE), Functions.log(Float.MIN_VALUE));
        assertBits(-Float.MIN_VALUE, Functions.tanh(-Float.MIN_VALUE));
    }

    @Test
    void expOverflowsBetweenTheNeighboursOfItsThreshold() {
        float last = 88.72283f;
        assertTrue(Float.isFinite(Functions.exp(last)));
        assertBits(Float.POSITIVE_INFINITY, Functions.exp(Math.nextUp(last)));
    }

    @Test
    void notANumberStaysNotANumber() {
        for (int bits : new int[] {0x7FC00000, 0x7F800001, 0xFFFFFFFF, 0x7FFFFFFF}) {
            float x = Float.intBitsToFloat(bits);
            assertTrue(Float.isNaN(Functions.exp(x)));
            assertTrue(Float.isNaN(Functions.log(x)));
            assertTrue(Float.isNaN(Functions.tanh(x)));
            assertTrue(Float.isNaN(Functions.sigmoid(x)));
            assertTrue(Float.isNaN(Functions.softplus(x)));
            assertTrue(Float.isNaN(Functions.silu(x)));
            assertTrue(Float.isNaN(Functions.erf(x)));
            assertTrue(Float.isNaN(Functions.geluErf(x)));
            assertTrue(Float.isNaN(Functions.geluTanh(x)));
        }
    }

    @Test
    void rintEqualsTheIeeeRoundingForSmallMagnitudes() {
        Random random = new Random(SEED);
        for (int i = 0; i < 200_000; i++) {
            float x = (random.nextFloat() - 0.5f) * 0x1p23f;
            assertEquals((float) Math.rint(x), Functions.rint(x), () -> "rint " + x);
        }
        assertEquals(2f, Functions.rint(2.5f));
        assertEquals(-4f, Functions.rint(-3.5f));
    }

    /** Any change of a bit changes every kernel and every stream: it must be meant. */
    @Test
    void bitsAreThoseOfTheContract() {
        assertEquals(CRC_EXP, crc(Functions::exp));
        assertEquals(CRC_LOG, crc(Functions::log));
        assertEquals(CRC_TANH, crc(Functions::tanh));
        assertEquals(CRC_ERF, crc(Functions::erf));
    }

    private static long crc(FloatFunction function) {
        CRC32 crc = new CRC32();
        for (long bits = 0; bits < 1L << 32; bits += 65_537) {
            float y = function.apply(Float.intBitsToFloat((int) bits));
            int result = Float.floatToIntBits(y); // one pattern for every NaN
            for (int shift = 0; shift < 32; shift += 8) {
                crc.update(result >> shift);
            }
        }
        return crc.getValue();
    }

    private static void assertWithin(
            double ulps, FloatFunction function, DoubleUnaryOperator exact, float from, float to) {
        for (long bits = 0; bits < 1L << 32; bits += STRIDE) {
            check(ulps, function, exact, Float.intBitsToFloat((int) bits), from, to);
        }
        Random random = new Random(SEED);
        for (int signAndExponent = 0; signAndExponent < 512; signAndExponent++) {
            for (int i = 0; i < SAMPLES_PER_EXPONENT; i++) {
                int bits = signAndExponent << 23 | random.nextInt(1 << 23);
                check(ulps, function, exact, Float.intBitsToFloat(bits), from, to);
            }
        }
    }

    private static void check(
            double ulps, FloatFunction function, DoubleUnaryOperator exact, float x, float from, float to) {
        if (x >= from && x <= to) {
            float actual = function.apply(x);
            double expected = exact.applyAsDouble(x);
            double error = errorInUlps(actual, expected);
            assertTrue(
                    error <= ulps,
                    () -> "f(" + x + ") is " + actual + ", exactly " + expected + ": " + error + " ulp, seed " + SEED);
        }
    }

    private static double errorInUlps(float actual, double expected) {
        float nearest = (float) expected;
        if (Double.isNaN(expected)) {
            return Float.isNaN(actual) ? 0 : Double.POSITIVE_INFINITY;
        }
        if (Float.isInfinite(actual) || Float.isInfinite(nearest)) {
            return actual == nearest ? 0 : Double.POSITIVE_INFINITY;
        }
        return Math.abs(actual - expected) / Math.ulp(nearest);
    }

    /** By its series near zero, by the continued fraction of its complement elsewhere. */
    private static double erf(double x) {
        double t = Math.abs(x);
        double result = 0;
        if (t < 2.5) {
            double term = t;
            for (int k = 0; k < 90; k++) {
                result += term / (2 * k + 1);
                term = -term * t * t / (k + 1);
            }
            result *= 2 / Math.sqrt(Math.PI);
        } else {
            double fraction = 0;
            for (int k = 120; k > 0; k--) {
                fraction = k / 2.0 / (t + fraction);
            }
            result = t > 6 ? 1 : 1 - StrictMath.exp(-t * t) / Math.sqrt(Math.PI) / (t + fraction);
        }
        return Math.copySign(result, x);
    }

    private static void assertBits(float expected, float actual) {
        assertEquals(Float.floatToRawIntBits(expected), Float.floatToRawIntBits(actual), () -> "got " + actual);
    }
}
