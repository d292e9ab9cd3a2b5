package dev.tandem.spi.draft;

/**
 * What became of a proposal.
 *
 * @param accepted the accepted nodes, a path
 * @param nextToken the target's own token after it
 */
public record Verdict(int[] accepted, int nextToken) {}
