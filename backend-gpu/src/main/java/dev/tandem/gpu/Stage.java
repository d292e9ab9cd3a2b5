package dev.tandem.gpu;

/** A node, compiled. */
@FunctionalInterface
interface Stage {
    /** Says where the node's outputs lie, if that is not in the scratch memory. Called before each run. */
    default void place(RunContext context) {}

    /** Queues what computes the node's outputs; what it launches depends on the shape of the step alone. */
    void run(RunContext context);
}
