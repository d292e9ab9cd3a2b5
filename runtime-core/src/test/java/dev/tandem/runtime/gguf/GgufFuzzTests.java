package dev.tandem.runtime.gguf;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.model.DType;
import dev.tandem.spi.model.Metadata;
import java.lang.foreign.MemorySegment;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Whatever a file holds, reading it gives values or one kind of refusal, and takes memory in proportion to the file. */
final class GgufFuzzTests {
    private static final int MUTATIONS = 1_000_000;
    private static final int THREADS = 2;

    /** A refusal's stack trace and message, and the reader's own objects; far below what one unchecked count asks for. */
    private static final long ALLOWED_BYTES = 64 << 10;

    private static final long ALLOWED_BYTES_PER_FILE_BYTE = 64;
    private static final String FILE = "mutant.gguf";
    private static final ThreadMXBean THREAD_COUNTERS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static final long[] BOUNDARIES = {
        0,
        1,
        2,
        7,
        8,
        31,
        63,
        64,
        127,
        128,
        255,
        256,
        32_767,
        32_768,
        65_535,
        65_536,
        1 << 20,
        1 << 24,
        (1 << 24) + 1,
        1L << 26,
        Integer.MAX_VALUE - 8,
        Integer.MAX_VALUE,
        1L << 31,
        (1L << 32) - 1,
        1L << 32,
        1L << 40,
        1L << 56,
        (1L << 61) + 1,
        Long.MAX_VALUE / 34,
        1L << 62,
        Long.MAX_VALUE - 63,
        Long.MAX_VALUE - 31,
        Long.MAX_VALUE - 7,
        Long.MAX_VALUE - 1,
        Long.MAX_VALUE,
        Long.MIN_VALUE,
        Long.MIN_VALUE + 1,
        -32,
        -8,
        -2,
        -1
    };

    private record Tally(int accepted, int refused) {}

    @Test
    void survivesAMillionMutations() throws InterruptedException, ExecutionException {
        long seed = Long.getLong("tandem.test.seed", 20_260_101L);
        System.out.println("GgufFuzzTests: seed " + seed + ", chosen with -Dtandem.test.seed");
        List<GgufBytes.Built> bases = List.of(everyType(), tensorsOnly(), model(2), model(3));
        for (GgufBytes.Built base : bases) {
            base.parse();
        }
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Future<Tally>> runs = threads.invokeAll(List.of(
                    () -> mutate(bases, new SplittableRandom(seed)), () -> mutate(bases, new SplittableRandom(~seed))));
            int accepted = 0;
            int refused = 0;
            for (Future<Tally> run : runs) {
                accepted += run.get().accepted();
                refused += run.get().refused();
            }
            int total = accepted + refused;
            int survivors = accepted;
            assertAll(
                    () -> assertEquals(MUTATIONS, total),
                    () -> assertTrue(survivors > MUTATIONS / 100, () -> "only " + survivors + " were accepted"),
                    () -> assertTrue(total - survivors > MUTATIONS / 10, () -> "all but few were accepted"));
        }
    }

    private static Tally mutate(List<GgufBytes.Built> bases, SplittableRandom random) {
        int accepted = 0;
        int runs = MUTATIONS / THREADS;
        for (int i = 0; i < runs; i++) {
            byte[] mutant = mutant(bases.get(random.nextInt(bases.size())), random);
            // The first runs load classes, which counts as this thread's memory.
            accepted += survives(mutant, i > 1000) ? 1 : 0;
        }
        return new Tally(accepted, runs - accepted);
    }

    private static boolean survives(byte[] mutant, boolean countMemory) {
        long before = THREAD_COUNTERS.getCurrentThreadAllocatedBytes();
        boolean accepted = true;
        try {
            readEverything(mutant);
        } catch (ModelFileException e) {
            accepted = false;
            assertTrue(String.valueOf(e.getMessage()).startsWith(FILE + ": "), () -> describe(mutant, e));
        } catch (Throwable e) {
            throw new AssertionError(describe(mutant, e), e);
        }
        long allocated = THREAD_COUNTERS.getCurrentThreadAllocatedBytes() - before;
        long allowed = ALLOWED_BYTES + ALLOWED_BYTES_PER_FILE_BYTE * mutant.length;
        assertTrue(!countMemory || allocated <= allowed, () -> allocated + " bytes taken: " + describe(mutant, null));
        return accepted;
    }

    private static void readEverything(byte[] file) {
        MemorySegment segment = MemorySegment.ofArray(file).asReadOnly();
        GgufPart part = GgufParser.parse(segment, FILE);
        for (String key : part.metadata().keys()) {
            readValue(part.metadata(), key);
        }
        for (GgufPart.Tensor tensor : part.tensors()) {
            if (part.hasData() && tensor.bytes() > 0) {
                segment.asSlice(tensor.offset(), tensor.bytes());
            }
            tensor.info().ifPresent(info -> assertTrue(info.rows() >= 0 && info.columns() >= 0));
        }
    }

    private static void readValue(Metadata metadata, String key) {
        String type = metadata.typeOf(key).orElseThrow();
        boolean array = type.endsWith("]");
        String element = array ? type.substring(0, type.indexOf('[')) : type;
        switch (element) {
            case "string" -> require(array ? metadata.texts(key) : metadata.text(key));
            case "f32", "f64" -> require(array ? metadata.reals(key) : metadata.real(key));
            case "bool" -> require(array ? metadata.integers(key) : metadata.flag(key));
            default -> require(array ? metadata.integers(key) : metadata.integer(key));
        }
    }

    private static void require(Optional<?> value) {
        assertTrue(value.isPresent());
    }

    private static byte[] mutant(GgufBytes.Built base, SplittableRandom random) {
        byte[] bytes = base.bytes().clone();
        GgufBytes.Field[] fields = base.fields().values().toArray(new GgufBytes.Field[0]);
        for (int rounds = 1 + random.nextInt(3); rounds > 0 && bytes.length > 0; rounds--) {
            switch (random.nextInt(8)) {
                case 0, 1 -> bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
                case 2 -> bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
                case 3 -> bytes = Arrays.copyOf(bytes, random.nextInt(bytes.length + 1));
                case 4 -> bytes = move(bytes, random);
                case 5 -> write(bytes, random.nextInt(bytes.length), 8, boundary(random));
                default -> {
                    GgufBytes.Field field = fields[random.nextInt(fields.length)];
                    write(bytes, field.offset(), field.bytes(), boundary(random));
                }
            }
        }
        return bytes;
    }

    /** Copies one stretch over another, which makes names occur twice and shifts fields. */
    private static byte[] move(byte[] bytes, SplittableRandom random) {
        int length = random.nextInt(bytes.length);
        int from = random.nextInt(bytes.length - length);
        System.arraycopy(bytes, from, bytes, random.nextInt(bytes.length - length), length);
        return bytes;
    }

    private static long boundary(SplittableRandom random) {
        return BOUNDARIES[random.nextInt(BOUNDARIES.length)];
    }

    private static void write(byte[] bytes, int offset, int size, long value) {
        for (int i = 0; i < size && offset + i < bytes.length; i++) {
            bytes[offset + i] = (byte) (value >> (8 * i));
        }
    }

    private static String describe(byte[] mutant, @Nullable Throwable failure) {
        return Objects.toString(failure, "") + " for the file " + HexFormat.of().formatHex(mutant);
    }

    private static GgufBytes.Built everyType() {
        GgufBytes file = new GgufBytes().text("general.architecture", "llama").alignment(8);
        for (ValueType type : ValueType.values()) {
            if (type.isReal()) {
                file.real("r." + type, type, -1.5).reals("rs." + type, type, 1, 2.25);
            } else if (type.isInteger() || type == ValueType.BOOL) {
                file.integer("i." + type, type, 1).integers("is." + type, type, 0, 1, 1);
            }
        }
        return file.integers("empty", ValueType.U8)
                .texts("texts", List.of("a", "", "\u00e9\u4f60"))
                .build();
    }

    private static GgufBytes.Built tensorsOnly() {
        return new GgufBytes()
                .alignment(1)
                .floats("a", new float[6], 3, 2)
                .tensor("b", DType.I8, new byte[3], 3)
                .tensor("scalar", DType.F64, new byte[8])
                .tensor("none", DType.F16, new byte[0], 4, 0, 2)
                .build();
    }

    private static GgufBytes.Built model(int version) {
        return new GgufBytes()
                .version(version)
                .text("general.architecture", "qwen3")
                .integer("qwen3.block_count", ValueType.U32, 2)
                .texts("tokenizer.ggml.tokens", List.of("<s>", "a", "b", "ab"))
                .integers("tokenizer.ggml.token_type", ValueType.I32, 3, 1, 1, 1)
                .tensor("token_embd.weight", DType.Q8_0, new byte[136], 32, 4)
                .floats("output_norm.weight", new float[32], 32)
                .build();
    }
}
