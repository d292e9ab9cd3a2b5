package dev.tandem.gpu.ffm;

import java.util.List;
import java.util.Map;

/**
 * What one vendor's driver is called.
 *
 * @param api name of the interface for people, such as {@code CUDA}
 * @param libraries names or paths to try in order
 * @param symbols the vendor's names; a function without one is not called
 * @param attributes the vendor's numbers
 * @param useByOrdinal whether {@link DriverFunction#CONTEXT_USE} takes the device's ordinal instead of a context
 * @param errorNameReturned whether {@link DriverFunction#ERROR_NAME} returns the name instead of storing it
 */
public record DriverTable(
        String api,
        List<String> libraries,
        Map<DriverFunction, String> symbols,
        Map<DeviceAttribute, Integer> attributes,
        boolean useByOrdinal,
        boolean errorNameReturned) {
    /** Copies the collections. */
    public DriverTable {
        libraries = List.copyOf(libraries);
        symbols = Map.copyOf(symbols);
        attributes = Map.copyOf(attributes);
    }

    /**
     * The same table for a library at another place.
     *
     * @param paths to try instead of the names
     * @return a changed copy
     */
    public DriverTable at(List<String> paths) {
        return new DriverTable(api, paths, symbols, attributes, useByOrdinal, errorNameReturned);
    }
}
