package dev.tandem.spi.backend;

/** A compiled graph. */
public interface Executable extends AutoCloseable {
    /**
     * Runs the graph over the open rows of the batch's states; may return before the device has finished.
     *
     * <p>Runs of one backend complete in order. Outputs stay valid until this executable runs again, so a drafter's
     * executable may read a target's taps.
     *
     * @param batch rows and states; each state has open rows
     * @return results
     * @throws dev.tandem.spi.DeviceException where the device failed
     */
    Step run(Batch batch);

    /**
     * Memory for intermediate values.
     *
     * @return bytes
     */
    long scratchBytes();

    /** Frees scratch memory. May be called twice. */
    @Override
    void close();
}
