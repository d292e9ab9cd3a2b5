package dev.tandem.gpu.fake;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.tandem.gpu.GpuVendor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A driver's library whose device is the emulator of the kernels, built once from {@code src/main/gpu}. It counts misuse
 * and fails when it is told to.
 *
 * <p>Without a C++ compiler tests that need it are skipped; with the system property {@value #REQUIRED} they fail.
 */
public final class FakeDriver {
    /** System property that makes a missing compiler a failure. */
    public static final String REQUIRED = "tandem.emulator.required";

    private static final Path MODULE = Path.of(System.getProperty("tandem.root", ".."), "backend-gpu");

    private final Path library;
    private final SymbolLookup symbols;

    private FakeDriver(Path library) {
        this.library = library;
        this.symbols = SymbolLookup.libraryLookup(library, Arena.global());
    }

    /** What may fail; numbers are the library's. */
    public enum Call {
        /** Taking memory. */
        ALLOCATION(0),
        /** Launching a kernel. */
        LAUNCH(1),
        /** Copying. */
        COPY(2),
        /** Waiting for the device. */
        WAIT(3);

        private final int number;

        Call(int number) {
            this.number = number;
        }
    }

    /** A driver named as NVIDIA's, without failures to come. */
    public static FakeDriver cuda() {
        return fresh("cuda/libcuda.so.1");
    }

    /** A driver named as AMD's, without failures to come. */
    public static FakeDriver hip() {
        return fresh("hip/libamdhip64.so.6");
    }

    private static FakeDriver fresh(String name) {
        FakeDriver driver = new FakeDriver(directory().resolve(name).toAbsolutePath());
        driver.call("fake_reset");
        return driver;
    }

    /** The directory that holds both libraries, built where it has to be. */
    public static Path directory() {
        Path compiler = Path.of("/usr/bin/g++");
        if (Boolean.getBoolean(REQUIRED)) {
            assertTrue(Files.exists(compiler), "g++ is needed to build the emulator");
        }
        assumeTrue(Files.exists(compiler), "g++, which builds the emulator, is absent");
        try {
            Path built = MODULE.resolve("target").resolve("fakes").resolve(sourcesHash());
            if (!Files.exists(built)) {
                build(built);
            }
            return built;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String sourcesHash() throws IOException {
        try (Stream<Path> files = Files.walk(MODULE.resolve("src/main/gpu"))) {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                digest.update(Files.readAllBytes(file));
            }
            return HexFormat.of().formatHex(digest.digest(), 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void build(Path target) throws IOException {
        Files.createDirectories(target.getParent());
        Path making = Files.createTempDirectory(target.getParent(), "making");
        Path log = making.resolve("log");
        Process process = new ProcessBuilder(
                        "sh",
                        "src/main/gpu/build-fakes.sh",
                        making.toAbsolutePath().toString())
                .directory(MODULE.toFile())
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            boolean ended = process.waitFor(5, TimeUnit.MINUTES);
            assertTrue(ended && process.exitValue() == 0, () -> "the emulator was not built: " + read(log));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        try {
            Files.move(making, target, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException | FileAlreadyExistsException e) {
            assertTrue(Files.exists(target), () -> "another test was to build " + target + ": " + e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * A vendor with this library as its driver, and an image that it takes for one of the kernels.
     *
     * @param vendor whose names the library has
     */
    public GpuVendor serve(GpuVendor vendor) {
        return new GpuVendor(
                vendor.id(),
                vendor.table().at(List.of(library())),
                List.of("/fake/" + vendor.id() + ".image"),
                vendor.version(),
                vendor.installRemedy(),
                vendor.deviceRemedy());
    }

    /** Path of the library. */
    public String library() {
        return library.toString();
    }

    /**
     * Lets a call to come fail.
     *
     * @param call what fails
     * @param number 1 for the next
     * @param code the driver's error
     * @param forGood whether every call from then on fails
     */
    public void fail(Call call, long number, int code, boolean forGood) {
        invoke(
                "fake_fail",
                List.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG, ValueLayout.JAVA_INT, ValueLayout.JAVA_INT),
                call.number,
                number,
                code,
                forGood ? 1 : 0);
    }

    /** Forgets failures to come and the count of misuse. */
    public void reset() {
        call("fake_reset");
    }

    /** Memory that was taken and not freed: number of blocks. */
    public int live() {
        return call("fake_live");
    }

    /** Fails where the library was misused. */
    public void assertNoFaults() {
        assertEquals(0, call("fake_faults"), "misuse of the driver; its messages are on standard error");
    }

    private int call(String function) {
        return invoke(function, List.of());
    }

    private int invoke(String function, List<MemoryLayout> types, Object... arguments) {
        MethodHandle handle = Linker.nativeLinker()
                .downcallHandle(
                        symbols.find(function).orElseThrow(),
                        FunctionDescriptor.of(ValueLayout.JAVA_INT, types.toArray(MemoryLayout[]::new)));
        try {
            return (int) handle.invokeWithArguments(arguments);
        } catch (Throwable e) {
            throw new AssertionError(function, e);
        }
    }
}
