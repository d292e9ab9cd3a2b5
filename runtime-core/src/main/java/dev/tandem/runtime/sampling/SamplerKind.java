package dev.tandem.runtime.sampling;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** A link of the sampler's chain that can be ordered; the constants stand in the default order. */
public enum SamplerKind {
    /** Repetition, presence and frequency penalties. */
    PENALTIES("penalties"),
    /** Penalties for going on with a repetition. */
    DRY("dry"),
    /** Keeps the logits within n standard deviations of the greatest. */
    TOP_N_SIGMA("top_n_sigma"),
    /** Keeps the k likeliest. */
    TOP_K("top_k"),
    /** Keeps those whose surprise is near the expected one. */
    TYPICAL_P("typ_p"),
    /** Keeps the likeliest that hold a share of the probability. */
    TOP_P("top_p"),
    /** Keeps those not much less likely than the likeliest. */
    MIN_P("min_p"),
    /** Drops the likeliest at random. */
    XTC("xtc"),
    /** Divides the logits, by a fixed number or one that follows the entropy. */
    TEMPERATURE("temperature");

    /** Every link in the default order. */
    public static final List<SamplerKind> DEFAULT_ORDER = List.of(values());

    private static final String SEPARATOR = ";";

    private final String label;

    SamplerKind(String label) {
        this.label = label;
    }

    /**
     * The name on the command line.
     *
     * @return such as {@code top_k}
     */
    public String label() {
        return label;
    }

    /**
     * Reads an order such as {@code penalties;top_k;temperature}.
     *
     * @param text names with semicolons between them; {@code -} may stand for {@code _}; empty for no link at all
     * @return the links in that order
     * @throws UsageException where a name is unknown or comes twice
     */
    public static List<SamplerKind> parse(String text) {
        if (text.isBlank()) {
            return List.of();
        }
        List<SamplerKind> kinds = Arrays.stream(text.split(SEPARATOR, -1))
                .map(name -> of(name.strip()))
                .toList();
        requireDistinct(kinds);
        return kinds;
    }

    static void requireDistinct(List<SamplerKind> kinds) {
        for (SamplerKind kind : kinds) {
            if (kinds.indexOf(kind) != kinds.lastIndexOf(kind)) {
                throw new UsageException(
                        ErrorCode.BAD_ARGUMENT, "--samplers names " + kind.label + " twice", "Name each sampler once.");
            }
        }
    }

    private static SamplerKind of(String name) {
        return Arrays.stream(values())
                .filter(kind -> kind.label.equals(name.replace('-', '_')))
                .findFirst()
                .orElseThrow(() -> new UsageException(
                        ErrorCode.BAD_ARGUMENT,
                        "--samplers: '" + name + "' is no sampler",
                        "Name some of " + list(DEFAULT_ORDER) + "."));
    }

    /**
     * Writes an order as {@link #parse} reads it.
     *
     * @param kinds links
     * @return their names with semicolons between them
     */
    public static String list(List<SamplerKind> kinds) {
        return kinds.stream().map(SamplerKind::label).collect(Collectors.joining(SEPARATOR));
    }
}
