package dev.tandem.spi.model;

import java.util.Collection;
import java.util.List;
import java.util.Optional;

/**
 * Typed access to a file's key-value metadata.
 *
 * <p>An absent key is an empty Optional. A present key of another type is a {@link dev.tandem.spi.ModelFileException}
 * that names the key, the file and both types. Integers of every width widen to long (an unsigned 64-bit value above
 * {@link Long#MAX_VALUE} is refused); f32 widens to double, and an integer may be read as a real.
 */
public interface Metadata {
    /**
     * All keys in file order.
     *
     * @return an unmodifiable collection
     */
    Collection<String> keys();

    /**
     * The type of a value, for people: {@code u32}, {@code string[151936]}; an array's ends in its length.
     *
     * @param key the key
     * @return empty where the key is absent
     */
    Optional<String> typeOf(String key);

    /**
     * A string.
     *
     * @param key the key
     * @return empty where absent
     */
    Optional<String> text(String key);

    /**
     * An integer of any width.
     *
     * @param key the key
     * @return empty where absent
     */
    Optional<Long> integer(String key);

    /**
     * A floating-point number, or an integer widened to one.
     *
     * @param key the key
     * @return empty where absent
     */
    Optional<Double> real(String key);

    /**
     * A boolean.
     *
     * @param key the key
     * @return empty where absent
     */
    Optional<Boolean> flag(String key);

    /**
     * An array of integers of any width, or of booleans as 0 and 1.
     *
     * @param key the key
     * @return empty where absent
     */
    Optional<List<Long>> integers(String key);

    /**
     * An array of floating-point numbers.
     *
     * @param key the key
     * @return empty where absent
     */
    Optional<List<Double>> reals(String key);

    /**
     * An array of strings.
     *
     * @param key the key
     * @return empty where absent
     */
    Optional<List<String>> texts(String key);
}
