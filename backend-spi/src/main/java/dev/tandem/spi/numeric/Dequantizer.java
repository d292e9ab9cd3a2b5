package dev.tandem.spi.numeric;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.model.DType;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Objects;

/**
 * Weights as f32, by each type's reference expression: the bits that REFERENCE precision computes with.
 *
 * <p>An expression is evaluated as written, left to right, every operation rounded to f32, without fma. Values are
 * little-endian and need no alignment. Block layouts are those of ggml.
 */
public final class Dequantizer {
    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfFloat FLOAT =
            ValueLayout.JAVA_FLOAT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private Dequantizer() {}

    /**
     * Whether {@link #dequantize} knows a type.
     *
     * @param type element or block type
     * @return false for F64 and the integer types, which hold no weights
     */
    public static boolean supports(DType type) {
        return switch (type) {
            case F64, I8, I16, I32, I64 -> false;
            default -> true;
        };
    }

    /**
     * Writes the f32 values of whole blocks.
     *
     * @param type block type
     * @param source the bytes
     * @param byteOffset first byte of the first block
     * @param n number of values, a multiple of {@link DType#blockElements()}
     * @param target receives the values
     * @param targetOffset first element of {@code target} to write
     * @throws IllegalArgumentException where n is no whole number of blocks
     * @throws IndexOutOfBoundsException where {@code source} or {@code target} is too short
     * @throws ModelFileException with {@link ErrorCode#MODEL_UNSUPPORTED} where {@link #supports} is false
     */
    public static void dequantize(
            DType type, MemorySegment source, long byteOffset, int n, float[] target, int targetOffset) {
        Objects.checkFromIndexSize(targetOffset, n, target.length);
        Objects.checkFromIndexSize(byteOffset, type.rowBytes(n), source.byteSize());
        int blocks = n / type.blockElements();
        switch (type) {
            case F32 -> MemorySegment.copy(source, FLOAT, byteOffset, target, targetOffset, n);
            case F16 -> widenF16(source, byteOffset, n, target, targetOffset);
            case BF16 -> widenBf16(source, byteOffset, n, target, targetOffset);
            case Q8_0, Q4_0, Q4_1, Q5_0, Q5_1, Q1_0, Q2_0 ->
                SimpleBlocks.dequantize(type, source, byteOffset, blocks, target, targetOffset);
            case Q2_K, Q3_K, Q4_K, Q5_K, Q6_K ->
                SuperBlocks.dequantize(type, source, byteOffset, blocks, target, targetOffset);
            case IQ4_NL, IQ4_XS, MXFP4, NVFP4, TQ1_0, TQ2_0 ->
                LookupBlocks.dequantize(type, source, byteOffset, blocks, target, targetOffset);
            case IQ1_S, IQ1_M, IQ2_XXS, IQ2_XS, IQ2_S, IQ3_XXS, IQ3_S ->
                CodeBookBlocks.dequantize(type, source, byteOffset, blocks, target, targetOffset);
            case F64, I8, I16, I32, I64 -> throw unsupported(type);
        }
    }

    static ModelFileException unsupported(DType type) {
        return new ModelFileException(
                ErrorCode.MODEL_UNSUPPORTED, "a tensor of type " + type + " cannot be read as f32 weights");
    }

    private static void widenF16(MemorySegment source, long byteOffset, int n, float[] target, int targetOffset) {
        for (int i = 0; i < n; i++) {
            target[targetOffset + i] = f16(source, byteOffset + 2L * i);
        }
    }

    private static void widenBf16(MemorySegment source, long byteOffset, int n, float[] target, int targetOffset) {
        for (int i = 0; i < n; i++) {
            target[targetOffset + i] = Half.bf16ToFloat(source.get(SHORT, byteOffset + 2L * i));
        }
    }

    /** The binary16 at {@code offset}, widened. */
    static float f16(MemorySegment source, long offset) {
        return Float.float16ToFloat(source.get(SHORT, offset));
    }

    /** The signed byte at {@code offset}. */
    static int s8(MemorySegment source, long offset) {
        return source.get(JAVA_BYTE, offset);
    }

    /** The unsigned byte at {@code offset}. */
    static int u8(MemorySegment source, long offset) {
        return Byte.toUnsignedInt(source.get(JAVA_BYTE, offset));
    }

    /** The unsigned 16-bit number at {@code offset}. */
    static int u16(MemorySegment source, long offset) {
        return Short.toUnsignedInt(source.get(SHORT, offset));
    }

    /** The 32 bits at {@code offset}. */
    static int i32(MemorySegment source, long offset) {
        return source.get(INT, offset);
    }
}
