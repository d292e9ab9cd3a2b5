package dev.tandem.drafts.ngram;

import dev.tandem.spi.draft.CommittedRun;
import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.spi.draft.DraftProposal;
import dev.tandem.spi.draft.DraftSession;
import dev.tandem.spi.draft.ProposeRequest;
import java.util.Arrays;

/** The tokens of one sequence and where their runs stand. */
final class NgramSession implements DraftSession {
    /** Longest run that is looked for. */
    static final int LONGEST = 4;
    /** Shortest run that is looked for: a single token says too little. */
    static final int SHORTEST = 2;
    /** Memory per token: the token itself, and per index two bucket heads and a link. */
    static final int BYTES_PER_TOKEN = Integer.BYTES * (1 + 3 * (LONGEST - SHORTEST + 1));
    /** Most earlier places that a tree follows. */
    static final int PLACES = 3;

    private final NgramIndex[] indexes = new NgramIndex[LONGEST - SHORTEST + 1];
    private int[] tokens = new int[256];
    private int size;

    NgramSession() {
        Arrays.setAll(indexes, i -> new NgramIndex(LONGEST - i));
    }

    @Override
    public void onCommitted(CommittedRun run) {
        if (run.start() != size) {
            throw new IllegalArgumentException("tokens from position " + run.start() + " follow " + size + " tokens");
        }
        for (int token : run.tokens()) {
            place(token);
            for (NgramIndex index : indexes) {
                index.add(tokens, size);
            }
            size++;
        }
    }

    /** Writes a token behind the sequence without making it part of it. */
    private void place(int token) {
        if (size == tokens.length) {
            tokens = Arrays.copyOf(tokens, 2 * size);
        }
        tokens[size] = token;
    }

    @Override
    public void truncate(int position) {
        while (size > position) {
            size--;
            for (NgramIndex index : indexes) {
                index.removeNewest(tokens, size);
            }
        }
    }

    @Override
    public DraftProposal propose(ProposeRequest request) {
        place(request.token());
        Guesses guesses = new Guesses(tokens, size, request.maxDepth(), request.maxNodes());
        int left = request.shape() == Shape.CHAIN ? 1 : PLACES;
        for (int i = 0; i < indexes.length && left > 0; i++) {
            int longer = i == 0 ? Integer.MAX_VALUE : LONGEST - i + 1;
            int place = indexes[i].newest(tokens, size);
            while (place >= 0 && left > 0) {
                if (!matches(place, longer)) {
                    guesses.follow(place);
                    left--;
                }
                place = indexes[i].olderThan(place, tokens, size);
            }
        }
        return guesses.proposal();
    }

    /** Whether the run before a place is as long, so that it was found among the longer ones. */
    private boolean matches(int place, int length) {
        return place >= length - 1 && tokens[place - length + 1] == tokens[size - length + 1];
    }

    @Override
    public void close() {}
}
