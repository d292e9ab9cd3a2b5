package dev.tandem.spi.numeric;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.model.DType;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.CRC32;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

class DequantizerTests {
    private static final int VALUES = 4 * 512;

    static Stream<DType> blockTypes() {
        return Arrays.stream(DType.values()).filter(DType::quantized);
    }

    @ParameterizedTest
    @MethodSource("blockTypes")
    void everyBlockTypeHasTheReferenceBits(DType type) {
        float[] actual = new float[VALUES];
        Dequantizer.dequantize(type, MemorySegment.ofArray(quants(type)), 0, VALUES, actual, 0);
        assertBits(reference(type), actual);
    }

    @ParameterizedTest
    @MethodSource("blockTypes")
    void laterBlocksAtOddAddressesGiveTheSameBits(DType type) {
        int skipped = 256;
        byte[] quants = quants(type);
        long at = type.rowBytes(skipped);
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment source = arena.allocate(quants.length + 1L).asSlice(1, quants.length);
            MemorySegment.copy(quants, 0, source, ValueLayout.JAVA_BYTE, 0, quants.length);
            float[] actual = new float[VALUES];
            Dequantizer.dequantize(type, source, at, VALUES - skipped, actual, 3);
            float[] expected = reference(type);
            float[] shifted = new float[VALUES];
            System.arraycopy(expected, skipped, shifted, 3, VALUES - skipped);
            assertBits(shifted, actual);
        }
    }

    /** The vectors use only part of each book; the sums were taken from the format's own tables. */
    @Test
    void codeBooksHoldEveryVectorOfTheFormat() {
        assertEquals(0xb85e6ccfL, crc(CodeBooks.IQ1));
        assertEquals(0x9924ff02L, crc(CodeBooks.IQ2_XXS));
        assertEquals(0xfa1e1bfdL, crc(CodeBooks.IQ2_XS));
        assertEquals(0x25ae5bf1L, crc(CodeBooks.IQ2_S));
        assertEquals(0x07ba9ed0L, crc(CodeBooks.IQ3_XXS));
        assertEquals(0xf576e4f3L, crc(CodeBooks.IQ3_S));
    }

    private static long crc(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return crc.getValue();
    }

    @Test
    void plainTypesAreWidenedExactly() {
        ByteBuffer bytes = ByteBuffer.allocate(32).order(ByteOrder.LITTLE_ENDIAN);
        bytes.putFloat(1, 3.25f).putFloat(5, -Float.MIN_VALUE);
        bytes.putShort(9, (short) 0xC100).putShort(11, (short) 1);
        bytes.putShort(13, (short) 0x3FC0).putShort(15, (short) 0x8001);
        MemorySegment source = MemorySegment.ofBuffer(bytes);
        float[] target = new float[6];
        Dequantizer.dequantize(DType.F32, source, 1, 2, target, 0);
        Dequantizer.dequantize(DType.F16, source, 9, 2, target, 2);
        Dequantizer.dequantize(DType.BF16, source, 13, 2, target, 4);
        float[] expected = {3.25f, -Float.MIN_VALUE, -2.5f, 0x1p-24f, 1.5f, Float.intBitsToFloat(0x80010000)};
        assertBits(expected, target);
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {"F64", "I8", "I16", "I32", "I64"})
    void refusesTypesThatHoldNoWeights(DType type) {
        assertFalse(Dequantizer.supports(type));
        MemorySegment source = MemorySegment.ofArray(new byte[64]);
        ModelFileException refusal = assertThrows(
                ModelFileException.class, () -> Dequantizer.dequantize(type, source, 0, 4, new float[4], 0));
        assertEquals(ErrorCode.MODEL_UNSUPPORTED, refusal.code());
        assertTrue(String.valueOf(refusal.getMessage()).contains(type.name()));
    }

    @Test
    void refusesPartOfABlockAndShortBuffers() {
        MemorySegment source = MemorySegment.ofArray(new byte[34]);
        float[] target = new float[64];
        assertThrows(
                IllegalArgumentException.class, () -> Dequantizer.dequantize(DType.Q8_0, source, 0, 31, target, 0));
        assertThrows(
                IndexOutOfBoundsException.class, () -> Dequantizer.dequantize(DType.Q8_0, source, 0, 64, target, 0));
        assertThrows(
                IndexOutOfBoundsException.class, () -> Dequantizer.dequantize(DType.Q8_0, source, 1, 32, target, 0));
        assertThrows(
                IndexOutOfBoundsException.class, () -> Dequantizer.dequantize(DType.Q8_0, source, 0, 32, target, 33));
    }

    @Test
    void theSmallestMxfp4ScaleIsSubnormal() {
        byte[] block = new byte[17];
        block[1] = 0x11;
        float[] target = new float[32];
        Dequantizer.dequantize(DType.MXFP4, MemorySegment.ofArray(block), 0, 32, target, 0);
        assertEquals(0x1p-128f, target[0]);
        assertEquals(0x1p-128f, target[16]);
        assertArrayEquals(new float[15], Arrays.copyOfRange(target, 1, 16));
    }

    private static void assertBits(float[] expected, float[] actual) {
        for (int i = 0; i < expected.length; i++) {
            int at = i;
            assertEquals(
                    Float.floatToRawIntBits(expected[i]),
                    Float.floatToRawIntBits(actual[i]),
                    () -> "value " + at + ": " + expected[at] + " expected, " + actual[at] + " found");
        }
    }

    private static byte[] quants(DType type) {
        return resource(type, ".q");
    }

    private static float[] reference(DType type) {
        float[] values = new float[VALUES];
        ByteBuffer.wrap(resource(type, ".f32"))
                .order(ByteOrder.LITTLE_ENDIAN)
                .asFloatBuffer()
                .get(values);
        return values;
    }

    private static byte[] resource(DType type, String suffix) {
        String name = "/quant/" + type.name().toLowerCase(Locale.ROOT) + suffix;
        try (InputStream in = Objects.requireNonNull(DequantizerTests.class.getResourceAsStream(name), name)) {
            return in.readAllBytes();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
