package dev.tandem.gpu.device;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.zip.GZIPInputStream;

/**
 * The kernels, compiled for one family of devices.
 *
 * @param name for messages
 * @param bytes as the driver loads them
 */
public record KernelImage(String name, byte[] bytes) {
    private static final String GZIP = ".gz";

    /**
     * Images that lie beside a class; those whose names end in {@code .gz} are decompressed.
     *
     * @param owner class whose jar holds them
     * @param names resources, the preferred one first
     * @return those that are there
     */
    public static List<KernelImage> beside(Class<?> owner, List<String> names) {
        List<KernelImage> images = new ArrayList<>();
        for (String name : names) {
            try (InputStream in = owner.getResourceAsStream(name)) {
                if (in != null) {
                    byte[] bytes = (name.endsWith(GZIP) ? new GZIPInputStream(in) : in).readAllBytes();
                    images.add(new KernelImage(name.substring(name.lastIndexOf('/') + 1), bytes));
                }
            } catch (IOException e) {
                throw new UncheckedIOException(name, e);
            }
        }
        return images;
    }

    static String names(List<KernelImage> images) {
        return images.stream().map(KernelImage::name).collect(Collectors.joining(", "));
    }
}
