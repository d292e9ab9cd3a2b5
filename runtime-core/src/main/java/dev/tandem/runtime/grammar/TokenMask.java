package dev.tandem.runtime.grammar;

import java.util.BitSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The tokens that a grammar allows next, along one generation.
 *
 * <p>A token is allowed exactly where its bytes leave the text a beginning of one of the grammar's texts, an end token
 * exactly where the text is one. The cost of a mask is linear in the vocabulary's tree, and nothing where the text was in
 * the same state before; {@link #prepare} lets it pass while the model computes. One thread at a time.
 */
public final class TokenMask {
    /** States remembered before the memory is cleared; each holds some kilobytes. */
    private static final int MOST_STATES = 4096;

    private final Network network;
    private final VocabularyTrie trie;
    private final BitSet endTokens;
    private final IntFunction<byte[]> bytes;
    private Recogniser recogniser;
    private Recogniser.State state;
    /** The work that {@link #prepare} began; recogniser and state are its own until it is done. */
    private @Nullable CompletableFuture<BitSet> begun;

    TokenMask(Network network, VocabularyTrie trie, BitSet endTokens, IntFunction<byte[]> bytes) {
        this.network = network;
        this.trie = trie;
        this.endTokens = endTokens;
        this.bytes = bytes;
        this.recogniser = new Recogniser(network);
        this.state = recogniser.start();
    }

    /** Begins to find the tokens that can follow, on another thread. */
    public void prepare() {
        if (begun == null && state.kept() == null) {
            begun = CompletableFuture.supplyAsync(this::find);
        }
    }

    /**
     * The tokens that can follow.
     *
     * @return ids, not to be changed; empty where no token can
     * @throws dev.tandem.spi.UsageException where the grammar is too ambiguous
     */
    public BitSet allowed() {
        CompletableFuture<BitSet> awaited = begun;
        if (awaited == null) {
            return find();
        }
        begun = null;
        try {
            return awaited.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            throw e;
        }
    }

    private BitSet find() {
        BitSet known = state.kept();
        if (known != null) {
            return known;
        }
        BitSet allowed = trie.allowed(recogniser, state);
        if (state.ends()) {
            allowed.or(endTokens);
        }
        state.keep(allowed);
        return allowed;
    }

    /** Whether the text is whole. */
    public boolean mayEnd() {
        return state.ends();
    }

    /** Whether the text is whole and nothing can follow. */
    public boolean isComplete() {
        return state.ends() && state.isStuck();
    }

    /**
     * Takes the next token.
     *
     * @param id allowed, and no end token
     */
    public void accept(int id) {
        if (begun != null) {
            allowed();
        }
        Recogniser.State after = state;
        for (byte b : bytes.apply(id)) {
            after = recogniser.next(after, Byte.toUnsignedInt(b));
        }
        if (recogniser.remembered() > MOST_STATES) {
            Recogniser fresh = new Recogniser(network);
            after = recogniser.movedTo(fresh, after);
            recogniser = fresh;
        }
        state = after;
    }
}
