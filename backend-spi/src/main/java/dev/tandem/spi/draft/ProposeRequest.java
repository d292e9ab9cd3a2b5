package dev.tandem.spi.draft;

/**
 * Asks for a proposal.
 *
 * @param token the current token, sampled and not yet run through the target
 * @param position its position
 * @param shape a chain has one path; where a tree is asked for, a chain will do
 * @param maxDepth longest path wanted
 * @param maxNodes most nodes wanted
 * @param temperature of the sampler; 0 is greedy
 */
public record ProposeRequest(
        int token, int position, DraftPlan.Shape shape, int maxDepth, int maxNodes, float temperature) {}
