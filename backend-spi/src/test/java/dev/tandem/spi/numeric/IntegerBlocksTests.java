package dev.tandem.spi.numeric;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.model.DType;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The integer form says the same as the dequantiser. */
final class IntegerBlocksTests {
    private static final Set<DType> HALVES_WITH_SCALES = Set.of(DType.Q2_K, DType.Q3_K, DType.Q6_K);

    private static byte[] golden(DType type) throws IOException {
        String name = "/quant/" + type.name().toLowerCase(Locale.ROOT) + ".q";
        try (InputStream in = Objects.requireNonNull(IntegerBlocksTests.class.getResourceAsStream(name), name)) {
            return in.readAllBytes();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = DType.class,
            names = {
                "Q8_0", "Q4_0", "Q4_1", "Q5_0", "Q5_1", "Q2_K", "Q3_K", "Q4_K", "Q5_K", "Q6_K", "IQ4_NL", "IQ4_XS",
                "MXFP4"
            })
    void scalesTimesIntegersAreTheDequantisedWeights(DType type) throws IOException {
        assertTrue(IntegerBlocks.supports(type));
        byte[] bytes = golden(type);
        MemorySegment data = MemorySegment.ofArray(bytes);
        int columns = 512;
        int rowBytes = Math.toIntExact(type.rowBytes(columns));
        IntegerBlocks blocks = new IntegerBlocks(type);
        float[] row = new float[columns];
        for (int base = 0; base < bytes.length; base += rowBytes) {
            Dequantizer.dequantize(type, data, base, columns, row, 0);
            for (int block = 0; block < columns / IntegerBlocks.BLOCK; block++) {
                blocks.decode(bytes, base, block);
                for (int i = 0; i < IntegerBlocks.BLOCK; i++) {
                    double product = (double) blocks.scale() * blocks.subScale(i / 16) * blocks.q()[i];
                    double offset = (double) blocks.offset() * blocks.subOffset(i / 16);
                    double size = Math.abs(product) + Math.abs(offset);
                    assertTrue(IntegerBlocks.hasOffset(type) || offset == 0);
                    assertTrue(HALVES_WITH_SCALES.contains(type) || blocks.subScale(i / 16) == 1);
                    assertEquals(row[block * 32 + i], product + offset, 4e-7 * size, type + " block " + block);
                }
            }
        }
    }

    @Test
    void otherTypesHaveNoIntegerForm() {
        for (DType type : new DType[] {DType.F32, DType.BF16, DType.IQ2_XS, DType.TQ1_0, DType.NVFP4}) {
            assertThrows(IllegalArgumentException.class, () -> new IntegerBlocks(type));
        }
    }
}
