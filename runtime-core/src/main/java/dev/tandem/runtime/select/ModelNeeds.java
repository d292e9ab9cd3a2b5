package dev.tandem.runtime.select;

/**
 * What a model will take of a device.
 *
 * @param memoryBytes estimate for weights, state and scratch, at least 0
 */
public record ModelNeeds(long memoryBytes) {
    /** For choosing without a model. */
    public static final ModelNeeds NONE = new ModelNeeds(0);

    /** Refuses a negative estimate. */
    public ModelNeeds {
        if (memoryBytes < 0) {
            throw new IllegalArgumentException("negative memory " + memoryBytes);
        }
    }
}
