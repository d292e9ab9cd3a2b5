package dev.tandem.runtime.decode;

import dev.tandem.spi.DeviceException;

/** Where sequences get their target from: the loaded model, which survives the loss of its device. */
public interface TargetSource {
    /** The target in use. */
    Target current();

    /**
     * A target that replaces one whose device is lost. The first caller has it built; others get the same.
     *
     * @param lost the target that failed
     * @param cause its failure
     * @throws DeviceException the cause, where the user wants no replacement or there is none
     */
    Target afterLoss(Target lost, DeviceException cause);
}
