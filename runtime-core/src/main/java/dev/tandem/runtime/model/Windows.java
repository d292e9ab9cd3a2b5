package dev.tandem.runtime.model;

import java.util.ArrayList;
import java.util.List;

/**
 * Which layers see only the latest positions.
 *
 * @param size positions that such a layer sees; 0 where no layer is limited
 * @param limited per layer
 */
record Windows(int size, List<Boolean> limited) {
    private static final String PATTERN = "attention.sliding_window_pattern";

    Windows {
        limited = List.copyOf(limited);
    }

    /**
     * Reads the pattern: a flag per layer, or a period of which all layers but the last are limited.
     *
     * @param size positions seen; 0 for no window
     * @param period where the file states none
     */
    static Windows of(Hyperparameters h, int size, int period) {
        int layers = h.layers();
        List<Boolean> limited = new ArrayList<>();
        if (h.isArray(PATTERN)) {
            List<Long> flags = h.integers(PATTERN).orElseThrow();
            if (flags.size() < layers) {
                throw h.inconsistent(PATTERN, flags.size() + " entries for " + layers + " layers");
            }
            flags.subList(0, layers).forEach(flag -> limited.add(size > 0 && flag != 0));
        } else {
            int every = h.positive(PATTERN).orElse(period);
            for (int i = 0; i < layers; i++) {
                limited.add(size > 0 && i % every < every - 1);
            }
        }
        return new Windows(size, limited);
    }

    boolean limits(int layer) {
        return limited.get(layer);
    }

    /** Positions that a layer sees; 0 for all. */
    int of(int layer) {
        return limits(layer) ? size : 0;
    }
}
