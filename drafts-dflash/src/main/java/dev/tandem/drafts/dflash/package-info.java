/**
 * DFlash: one pass of a small block-diffusion model over {@code [current token, mask, mask, ...]} guesses a block of
 * tokens at once, given hidden states of the target (Chen et al., arXiv 2602.06036). Its per-position probabilities make
 * a chain, or the tree of the most probable beginnings (DDTree, arXiv 2604.12989).
 *
 * <p>{@link dev.tandem.drafts.dflash.DflashProvider} is the entry; {@link dev.tandem.drafts.dflash.DrafterFile} brings the
 * file formats in use into one form, {@link dev.tandem.drafts.dflash.Pairing} checks it against the target,
 * {@link dev.tandem.drafts.dflash.BlockGraphs} says what is computed, {@link dev.tandem.drafts.dflash.DflashSession} keeps
 * one sequence's context, {@link dev.tandem.drafts.dflash.PrefixTree} chooses the guesses. What does not belong here:
 * whether a guess pays, which the engine decides.
 */
@NullMarked
package dev.tandem.drafts.dflash;

import org.jspecify.annotations.NullMarked;
