package dev.tandem.gpu.device;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class KernelSourcesTests {
    private static final Path SOURCES = Path.of("src/main/gpu");
    private static final Path IMAGES = Path.of("src/main/resources/kernels");

    @Test
    void imagesWereBuiltFromTheseSources() throws IOException, NoSuchAlgorithmException {
        MessageDigest hash = MessageDigest.getInstance("SHA-256");
        for (Path file : sources()) {
            hash.update(Files.readAllBytes(SOURCES.resolve(file)));
        }
        List<String> manifest = Files.readAllLines(IMAGES.resolve("kernels.manifest"));
        assertEquals(
                "sources " + HexFormat.of().formatHex(hash.digest()),
                manifest.getFirst(),
                "the kernels changed: run sh backend-gpu/src/main/gpu/build-kernels.sh");
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> kernels = Files.walk(SOURCES.resolve("kernels"));
                Stream<Path> vendors = Files.walk(SOURCES.resolve("vendor"))) {
            return Stream.concat(kernels, vendors)
                    .filter(Files::isRegularFile)
                    .map(SOURCES::relativize)
                    .sorted()
                    .toList();
        }
    }

    @Test
    void imagesAreWhatTheirNamesSay() {
        List<KernelImage> images = KernelImage.beside(
                KernelImage.class, List.of("/kernels/cuda.fatbin.gz", "/kernels/cuda.ptx.gz", "/kernels/hip.hipfb.gz"));
        assertEquals(3, images.size());
        byte[] fatBinary = images.get(0).bytes();
        assertEquals("50ed55ba", HexFormat.of().formatHex(Arrays.copyOf(fatBinary, 4)));
        String ptx = new String(images.get(1).bytes(), StandardCharsets.US_ASCII);
        assertTrue(ptx.contains(".version"));
        assertTrue(!ptx.contains(".approx") && !ptx.contains(".ftz"), "an operation is not exact");
        String bundle = new String(images.get(2).bytes(), StandardCharsets.ISO_8859_1);
        assertTrue(bundle.startsWith("__CLANG_OFFLOAD_BUNDLE__"));
        assertTrue(bundle.contains("hipv4-amdgcn-amd-amdhsa--gfx1100"));
    }
}
