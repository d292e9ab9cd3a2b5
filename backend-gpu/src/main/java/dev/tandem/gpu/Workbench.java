package dev.tandem.gpu;

import dev.tandem.gpu.device.Device;
import java.util.List;

/**
 * What the stages of one executable share.
 *
 * @param device they run on
 * @param activations rounded for integer dots
 * @param work of a stage of several kernels
 */
record Workbench(Device device, Activations activations, Workspace work) implements AutoCloseable {
    Workbench(Device device) {
        this(device, new Activations(device), new Workspace(device, "partial results"));
    }

    /** Where its memory lies now. */
    List<Long> addresses() {
        return List.of(activations.address(), work.address());
    }

    long bytes() {
        return activations.bytes() + work.bytes();
    }

    @Override
    public void close() {
        activations.close();
        work.close();
    }
}
