package dev.tandem.runtime.gguf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.model.DType;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every number of a header is checked before it is used. */
final class GgufHeaderTests {
    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    tensor count      | -1                  | header: tensor count 18446744073709551615 is above
                    tensor count      | 200000              | header: tensor count 200000 needs at least 4800000 bytes
                    tensor count      | 4                   | tensor number 4: name is empty
                    metadata count    | 65537               | header: metadata count 65537 is above
                    metadata count    | 60000               | header: metadata count 60000 needs at least
                    k/name length     | 0                   | metadata key number 1: name is empty
                    k/name length     | 65536               | metadata key number 1: name length 65536 is above
                    k/name length     | 65535               | metadata key number 1: name length 65535 needs
                    k/type            | 13                  | metadata key 'k': value type 13 is unknown
                    k/type            | -1                  | metadata key 'k': value type 4294967295 is unknown
                    list/element type | 9                   | metadata key 'list': element type is array
                    list/element type | 77                  | metadata key 'list': element type 77 is unknown
                    list/length       | 16777217            | metadata key 'list': array length 16777217 is above
                    list/length       | 16777216            | metadata key 'list': array length 16777216 needs
                    list/length       | 9223372036854775807 | metadata key 'list': array length
                    words/1/length    | 67108865            | metadata key 'words': element length 67108865 is above
                    words/1/length    | 4000                | metadata key 'words': element length 4000 needs
                    q/name length     | 64                  | tensor number 1: name length 64 is above the limit of 63
                    q/dimensions      | 5                   | tensor 'q': dimension count 5 is above the limit of 4
                    q/dimensions      | -1                  | tensor 'q': dimension count 4294967295
                    q/dimension 1     | 33                  | tensor 'q': dimension 1 is 33, no multiple of the 32
                    q/dimension 2     | -1                  | tensor 'q': dimension 2 is 18446744073709551615
                    q/dimension 2     | 288230376151711744  | tensor 'q': dimension 2 is 288230376151711744: the tensor
                    q/dimension 2     | 288230376151711743  | tensor 'q': shape [288230376151711743, 32] of Q8_0 takes
                    q/dimension 2     | 3                   | tensor 'f': offset 96 lies inside tensor 'q'
                    f/offset          | 32                  | tensor 'f': offset 32 lies inside tensor 'q'
                    f/offset          | 97                  | tensor 'f': offset 97 is no multiple of the alignment 32
                    f/offset          | -32                 | tensor 'f': offset 18446744073709551584
                    f/offset          | 9223372036854775776 | tensor 'f': offset 9223372036854775776 plus its 8 bytes
                    b/offset          | 1024                | tensor 'b': data ends at byte
                    """)
    void refusesABrokenNumber(String field, long value, String message) {
        refuses(ErrorCode.FILE_CORRUPT, message, base().build().with(field, value));
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5, 31, 32, 33, 36, 37, 38, 43, 1 << 20, -1})
    void refusesTensorTypesWithoutAMeaning(int id) {
        String message = "tensor 'q': type " + Integer.toUnsignedString(id) + " (";
        refuses(ErrorCode.MODEL_UNSUPPORTED, message, base().build().with("q/type", id));
    }

    @ParameterizedTest
    @EnumSource(DType.class)
    void translatesEveryTypeBothWays(DType type) {
        assertEquals(type, GgufTensorTypes.type(GgufTensorTypes.id(type)).orElseThrow());
        byte[] data = new byte[2 * type.blockBytes()];
        GgufPart part = new GgufBytes()
                .tensor("t", type, data, type.blockElements(), 2)
                .build()
                .parse();
        assertEquals(data.length, part.tensors().getFirst().bytes());
    }

    @ParameterizedTest
    @CsvSource({"9, Q8_1, 32, 36", "15, Q8_K, 256, 292"})
    void measuresTypesForActivationsButShowsNoWeight(int id, String name, int elements, int bytes) {
        GgufBytes.Built file = new GgufBytes()
                .tensor("x", DType.I8, new byte[bytes], elements)
                .build()
                .with("x/type", id);
        GgufPart.Tensor tensor = file.parse().tensors().getFirst();
        assertEquals(bytes, tensor.bytes());
        assertEquals(name, tensor.layout().name());
        assertTrue(tensor.info().isEmpty());
    }

    @Test
    void givesEachTypeAnIdOfItsOwn() {
        Set<Integer> ids = new HashSet<>();
        for (DType type : DType.values()) {
            assertTrue(ids.add(GgufTensorTypes.id(type)), () -> type + " shares its id");
        }
        assertEquals(0, GgufTensorTypes.id(DType.F32));
        assertEquals(12, GgufTensorTypes.id(DType.Q4_K));
        assertEquals(30, GgufTensorTypes.id(DType.BF16));
        assertEquals(39, GgufTensorTypes.id(DType.MXFP4));
    }

    @Test
    void refusesNamesThatOccurTwice() {
        refuses(
                ErrorCode.FILE_CORRUPT,
                "metadata key 'k': the key occurs twice",
                new GgufBytes().text("k", "a").text("k", "b").build());
        refuses(
                ErrorCode.FILE_CORRUPT,
                "tensor 't': the name occurs twice",
                new GgufBytes()
                        .floats("t", new float[1], 1)
                        .floats("t", new float[1], 1)
                        .build());
    }

    @Test
    void acceptsEmptyAxesAndScalarsAndNamesOf63Bytes() {
        String longest = "n".repeat(63);
        GgufPart part = new GgufBytes()
                .tensor("empty", DType.F32, new byte[0], 5, 0)
                .floats(longest, new float[1])
                .build()
                .parse();
        assertEquals(List.of(0L, 5L), part.tensors().getFirst().shape());
        assertEquals(0, part.tensors().getFirst().bytes());
        assertEquals(List.of(), part.tensors().get(1).shape());
        assertEquals(4, part.tensors().get(1).bytes());
        refuses(
                ErrorCode.FILE_CORRUPT,
                "tensor 'empty': dimension 3 is",
                new GgufBytes()
                        .tensor("empty", DType.F32, new byte[0], Long.MAX_VALUE, 0, 2)
                        .build());
    }

    @Test
    void acceptsTensorsInAnyOrderWithGaps() {
        GgufBytes.Built file = new GgufBytes()
                .floats("a", new float[] {1}, 1)
                .floats("b", new float[] {2}, 1)
                .floats("c", new float[] {3}, 1)
                .build()
                .with("a/offset", 64)
                .with("c/offset", 0);
        GgufPart part = file.parse();
        MemorySegment bytes = MemorySegment.ofArray(file.bytes());
        assertEquals(
                3,
                Float.intBitsToFloat(
                        bytes.get(GgufCursor.INT32, part.tensors().getFirst().offset())));
        assertEquals("a", part.tensors().getFirst().name());
    }

    @Test
    void neverPrintsControlCharactersOfAFile() {
        GgufBytes.Built file =
                new GgufBytes().text("\u001b[2J\n" + "x".repeat(200), "a").build();
        byte[] cut = Arrays.copyOf(file.bytes(), file.bytes().length - 1 - 20);
        ModelFileException refusal =
                assertThrows(ModelFileException.class, new GgufBytes.Built(cut, file.fields(), 0)::parse);
        String message = Objects.requireNonNull(refusal.getMessage());
        assertFalse(message.chars().anyMatch(Character::isISOControl), message);
        assertTrue(message.length() < 250, message);
    }

    @Test
    void opensALargeVocabularyWithoutDecodingIt() {
        List<String> words = Collections.nCopies(150_000, "token");
        GgufBytes.Built file =
                new GgufBytes().texts("tokenizer.ggml.tokens", words).build();
        ThreadMXBean counters = (ThreadMXBean) ManagementFactory.getThreadMXBean();
        file.parse();
        long before = counters.getCurrentThreadAllocatedBytes();
        GgufPart part = file.parse();
        long allocated = counters.getCurrentThreadAllocatedBytes() - before;
        assertTrue(allocated < 100_000, allocated + " bytes taken");
        assertEquals(words, part.metadata().texts("tokenizer.ggml.tokens").orElseThrow());
    }

    private static GgufBytes base() {
        return new GgufBytes()
                .integer("k", ValueType.U32, 1)
                .integers("list", ValueType.I32, 1, 2, 3)
                .texts("words", List.of("a", "b", "c"))
                .tensor("q", DType.Q8_0, new byte[68], 32, 2)
                .floats("f", new float[2], 2)
                .floats("b", new float[2], 2);
    }

    private static void refuses(ErrorCode code, String message, GgufBytes.Built file) {
        ModelFileException refusal = assertThrows(ModelFileException.class, file::parse);
        String actual = Objects.requireNonNull(refusal.getMessage());
        assertTrue(actual.startsWith("test.gguf: " + message), actual);
        assertEquals(code, refusal.code());
    }
}
