package dev.tandem.gpu.device;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/**
 * The kernels, compiled for one family of devices.
 *
 * @param name for messages
 * @param bytes as the driver loads them
 */
public record KernelImage(String name, byte[] bytes) {
    /**
     * Images that lie beside a class.
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
                    images.add(new KernelImage(name.substring(name.lastIndexOf('/') + 1), in.readAllBytes()));
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
