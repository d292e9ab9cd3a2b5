package dev.tandem.runtime;

/**
 * What a saved state holds besides the state, for going on: a request for {@code tokens} that {@link
 * dev.tandem.runtime.decode.GenerationRequest#after goes on after} {@code chosen} of them gives the tokens that the
 * generation would have given had it not been interrupted.
 *
 * @param tokens all of the text: what was given and what was chosen
 * @param chosen how many of them, at the end, were chosen
 * @param ready how many of them, at the beginning, need not be run again
 * @param note what the program that saved it added
 */
public record SavedText(int[] tokens, int chosen, int ready, String note) {}
