package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The jars for GPUs in the built distribution: none is in use, and one in the plugin folder is all that is needed. */
@Timeout(240)
class GpuPluginIT {
    private static final Path DISTRIBUTION =
            CliRun.root().resolve("cli").resolve("target").resolve("dist").toAbsolutePath();
    private static final Path FAKES =
            CliRun.root().resolve("backend-gpu").resolve("target").resolve("fakes");

    @TempDir
    Path folder;

    private record Result(int exitCode, String out, String err) {}

    private Result run(Optional<Path> libraries, String... args) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--add-modules=jdk.incubator.vector",
                "-jar",
                DISTRIBUTION.resolve("tandem.jar").toString()));
        command.addAll(List.of(args));
        Path out = Files.createTempFile(folder, "out", ".txt");
        Path err = Files.createTempFile(folder, "err", ".txt");
        ProcessBuilder builder =
                new ProcessBuilder(command).redirectOutput(out.toFile()).redirectError(err.toFile());
        libraries.ifPresent(path -> builder.environment()
                .put("LD_LIBRARY_PATH", path.toAbsolutePath().toString()));
        Process process = builder.start();
        process.getOutputStream().close();
        int exitCode = process.waitFor();
        return new Result(exitCode, Files.readString(out), Files.readString(err));
    }

    private static Path jar(String vendor) {
        return DISTRIBUTION.resolve("gpu").resolve("tandem-backend-" + vendor + ".jar");
    }

    /** A plugin folder with one jar, whose kernels must have been built. */
    private Path plugins(String vendor) throws IOException {
        try (ZipFile zip = new ZipFile(jar(vendor).toFile())) {
            assumeTrue(
                    zip.stream().map(ZipEntry::getName).anyMatch(name -> name.matches("kernels/" + vendor + "\\..+")),
                    jar(vendor) + " was built without kernels");
        }
        Path plugins = Files.createDirectory(folder.resolve("plugins"));
        Files.copy(jar(vendor), plugins.resolve("tandem-backend-" + vendor + ".jar"));
        return plugins;
    }

    /** The emulated drivers, which the tests of the GPU modules build. */
    private static Path fakes(String vendor) throws IOException {
        assumeTrue(Files.isDirectory(FAKES), "the emulated drivers were not built");
        try (Stream<Path> built = Files.list(FAKES)) {
            Optional<Path> newest = built.map(path -> path.resolve(vendor))
                    .filter(Files::isDirectory)
                    .max(Comparator.comparingLong((Path path) -> path.toFile().lastModified()));
            assumeTrue(newest.isPresent(), "the emulated drivers were not built");
            return newest.orElseThrow();
        }
    }

    @Test
    void whatRunsWithoutPluginsHoldsNoCodeForGpus() throws IOException {
        int jars = 0;
        for (Path place : List.of(DISTRIBUTION, DISTRIBUTION.resolve("lib"), DISTRIBUTION.resolve("plugins"))) {
            try (Stream<Path> files = Files.list(place)) {
                for (Path file :
                        files.filter(f -> f.toString().endsWith(".jar")).toList()) {
                    try (ZipFile zip = new ZipFile(file.toFile())) {
                        assertEquals(
                                List.of(),
                                zip.stream()
                                        .map(ZipEntry::getName)
                                        .filter(name ->
                                                name.matches("dev/tandem/(gpu|backend/(cuda|hip))/.*|kernels/.*"))
                                        .toList(),
                                file.toString());
                    }
                    jars++;
                }
            }
        }
        assertTrue(jars >= 10, jars + " jars");
    }

    @ParameterizedTest
    @CsvSource({"cuda, cuda", "hip, rocm", "hip, hip"})
    void aJarInThePluginFolderIsAllThatIsNeeded(String vendor, String backend)
            throws IOException, InterruptedException {
        String[] args = {"run", "-n", "5", "--plugins", plugins(vendor).toString(), "--backend", "cpu", "public static"
        };
        Result cpu = run(Optional.empty(), args);
        args[6] = backend;
        Result gpu = run(Optional.of(fakes(vendor)), args);

        assertEquals(0, gpu.exitCode(), gpu.err());
        assertEquals(cpu.out(), gpu.out());
        String inUse = vendor.equals("cuda") ? "cuda CUDA 13.0 (libcuda.so.1)" : "rocm ROCm/HIP 6.4";
        assertTrue(gpu.err().contains(inUse), gpu.err());
    }

    @Test
    void cudaMeansRocmWhereOnlyThatIsInstalledAndSaysSo() throws IOException, InterruptedException {
        String plugins = plugins("hip").toString();
        Result result =
                run(Optional.of(fakes("hip")), "run", "-n", "2", "--plugins", plugins, "--cuda", "public static");

        assertEquals(0, result.exitCode(), result.err());
        assertTrue(result.err().contains("'cuda' is accepted as a compatibility alias and means 'rocm'"), result.err());
        assertTrue(result.err().contains("rocm ROCm/HIP 6.4"), result.err());
    }

    @ParameterizedTest
    @CsvSource({"cuda, cuda, libcuda.so.1", "hip, rocm, libamdhip64.so.7"})
    void withoutADriverItSaysWhatTheLoaderSaid(String vendor, String backend, String library)
            throws IOException, InterruptedException {
        Path plugins = Files.createDirectory(folder.resolve("plugins"));
        Files.copy(jar(vendor), plugins.resolve("tandem-backend-" + vendor + ".jar"));
        Result asked = run(Optional.empty(), "run", "--plugins", plugins.toString(), "--backend", backend, "x");
        assumeTrue(asked.exitCode() != 0, "this machine has a driver");
        Result left = run(Optional.empty(), "run", "-n", "1", "--plugins", plugins.toString(), "public static");

        String reason = library + ": cannot open shared object file: No such file or directory";
        assertTrue(asked.err().contains("backend '" + backend + "'"), asked.err());
        assertTrue(asked.err().contains(reason), asked.err());
        assertEquals(0, left.exitCode(), left.err());
        assertTrue(left.err().contains("backend: cpu (" + backend + ": " + reason), left.err());
    }
}
