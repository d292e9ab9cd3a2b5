package dev.tandem.runtime.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

import dev.tandem.runtime.files.OutputFile;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A saved state is read as it was written, or refused with the reason. */
final class StateFileTests {
    private static final int[] TOKENS = {3, 1, 4, 1, 5, 9};
    private static final byte[] STATE = new byte[3_000_001];

    static {
        new Random(4).nextBytes(STATE);
    }

    @TempDir
    Path folder;

    private Path file = Path.of("");

    @BeforeEach
    void write() {
        file = folder.resolve("x.state");
        try (OutputFile output = OutputFile.prepare(file)) {
            MemorySegment state = MemorySegment.ofArray(STATE);
            StateFile.write(output, new StateFile.Contents(header(6, STATE.length, 3), TOKENS, "hé", state));
        }
    }

    private static StateHeader header(int tokens, long stateBytes, int noteBytes) {
        return new StateHeader(
                "m=\u0001.gguf", "aa", "fast", "f16", "1.0", "bb", 512, tokens, 2, 5, stateBytes, noteBytes, "");
    }

    @Test
    void readsWhatWasWritten() {
        try (Arena arena = Arena.ofConfined()) {
            StateFile.Contents read = StateFile.read(file, header -> {}, arena);
            assertEquals("m=?.gguf", read.header().model(), "a name cannot forge a line");
            assertEquals(512, read.header().context());
            assertArrayEquals(TOKENS, read.tokens());
            assertEquals("hé", read.note());
            assertArrayEquals(STATE, read.state().toArray(ValueLayout.JAVA_BYTE));
        }
    }

    private UsageException refused(byte[] bytes) throws IOException {
        Files.write(file, bytes);
        try (Arena arena = Arena.ofConfined()) {
            return assertThrows(UsageException.class, () -> StateFile.read(file, header -> fail("accepted"), arena));
        }
    }

    @Test
    void refusesAFileThatIsCutShortAtAnyPlace() throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        for (int length : new int[] {0, 7, 15, 16, 30, 200, 250, 5000, bytes.length - 33, bytes.length - 1}) {
            UsageException refusal = refused(Arrays.copyOf(bytes, length));
            ErrorCode expected = length < 16 ? ErrorCode.FILE_FORMAT : ErrorCode.FILE_CORRUPT;
            assertEquals(expected, refusal.code(), refusal.getMessage());
            assertFalse(refusal.remedy().isEmpty());
        }
        assertTrue(String.valueOf(refused(Arrays.copyOf(bytes, 5000)).getMessage())
                .contains("it has 5000 bytes, but its header promises " + bytes.length));
        assertEquals(
                ErrorCode.FILE_CORRUPT,
                refused(Arrays.copyOf(bytes, bytes.length + 1)).code());
    }

    @Test
    void refusesAFileInWhichOneBitIsWrong() throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        long seed = 12;
        Random random = new Random(seed);
        for (int i = 0; i < 60; i++) {
            byte[] wrong = bytes.clone();
            int at = i < 30 ? random.nextInt(300) : random.nextInt(bytes.length);
            wrong[at] ^= (byte) (1 << random.nextInt(8));
            UsageException refusal = refused(wrong);
            assertEquals(
                    at < 12 ? ErrorCode.FILE_FORMAT : ErrorCode.FILE_CORRUPT,
                    refusal.code(),
                    "byte " + at + ", seed " + seed);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, -1})
    void namesAVersionThatItDoesNotRead(int version) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(8, version);
        UsageException refusal = refused(bytes);
        assertEquals(ErrorCode.FILE_FORMAT, refusal.code());
        assertTrue(String.valueOf(refusal.getMessage()).contains("of format " + Integer.toUnsignedString(version)));
    }

    /** A file with a right checksum around any header. */
    private static byte[] forged(String header, int rest) {
        ByteBuffer bytes = ByteBuffer.allocate(16 + header.length() + rest + 32).order(ByteOrder.LITTLE_ENDIAN);
        bytes.put("TANDEMST".getBytes(StandardCharsets.US_ASCII)).putInt(1).putInt(header.length());
        bytes.put(header.getBytes(StandardCharsets.US_ASCII)).position(bytes.capacity() - 32);
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            digest.update(bytes.array(), 0, bytes.position());
            return bytes.put(digest.digest()).array();
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void believesNoNumberOfAForgedHeader() throws IOException {
        String honest = header(6, 100, 4).print();
        for (String line : new String[] {
            "tokens=0",
            "tokens=-6",
            "tokens=2147483647",
            "tokens=99999999999",
            "tokens=6x",
            "chosen=7",
            "rows=7",
            "rows=-1",
            "state-bytes=-100",
            "state-bytes=9223372036854775807",
            "note-bytes=-4",
            "note-bytes=2147483647"
        }) {
            String name = line.substring(0, line.indexOf('='));
            String header = honest.replaceAll("(?m)^" + name + "=.*$", line);
            UsageException refusal = refused(forged(header, 128));
            assertEquals(ErrorCode.FILE_CORRUPT, refusal.code(), line);
        }
        for (String header :
                new String[] {"", "x", honest + "more=1\n", honest.replace("kv=f16\n", ""), honest + honest}) {
            assertEquals(ErrorCode.FILE_CORRUPT, refused(forged(header, 128)).code(), header);
        }
    }

    @Test
    void allocatesNothingForAHeaderThatIsNotAccepted() throws IOException {
        Files.write(file, forged(header(6, 100, 4).print(), 128));
        try (Arena arena = Arena.ofConfined()) {
            IllegalStateException thrown = assertThrows(
                    IllegalStateException.class,
                    () -> StateFile.read(
                            file,
                            header -> {
                                throw new IllegalStateException("not mine");
                            },
                            arena));
            assertEquals("not mine", thrown.getMessage());
            assertEquals(100, StateFile.read(file, header -> {}, arena).state().byteSize());
        }
    }

    @Test
    void saysWhatIsWrongWithThePath() {
        try (Arena arena = Arena.ofConfined()) {
            for (Path path : new Path[] {folder, folder.resolve("absent")}) {
                UsageException refusal =
                        assertThrows(UsageException.class, () -> StateFile.read(path, header -> {}, arena));
                assertEquals(ErrorCode.FILE_UNREADABLE, refusal.code());
                assertTrue(String.valueOf(refusal.getMessage()).startsWith(path + " "), refusal.getMessage());
            }
        }
    }
}
