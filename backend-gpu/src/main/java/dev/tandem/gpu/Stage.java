package dev.tandem.gpu;

/** A node, compiled. */
@FunctionalInterface
interface Stage {
    /** Queues what computes the node's outputs. */
    void run(RunContext context);
}
