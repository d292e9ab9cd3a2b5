package dev.tandem.backend.cpu;

/** A node, compiled. */
@FunctionalInterface
interface Stage {
    /** Computes the node's outputs, whose buffers have room. */
    void run(StepContext context);
}
