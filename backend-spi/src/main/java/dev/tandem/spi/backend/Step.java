package dev.tandem.spi.backend;

/** Results of one run. */
public interface Step {
    /**
     * An output that the batch asked for; waits for the device where needed.
     *
     * @param name of the output
     * @return its rows, valid until the executable runs again
     * @throws dev.tandem.spi.DeviceException where the device failed
     * @throws IllegalArgumentException where the batch did not ask for it
     */
    Rows output(String name);

    /**
     * Time of the run: the device's own where measured, else wall time.
     *
     * @return nanoseconds
     */
    long elapsedNanos();
}
