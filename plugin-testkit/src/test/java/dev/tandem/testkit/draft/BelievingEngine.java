package dev.tandem.testkit.draft;

import dev.tandem.spi.draft.CommittedRun;
import dev.tandem.spi.draft.CommittedRun.Phase;
import dev.tandem.spi.draft.DraftModel;
import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.spi.draft.DraftProposal;
import dev.tandem.spi.draft.DraftProvider;
import dev.tandem.spi.draft.DraftQuery;
import dev.tandem.spi.draft.DraftSession;
import dev.tandem.spi.draft.ProposeRequest;
import dev.tandem.testkit.MemoryModel;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A model that is a formula, and an engine that takes a strategy's deepest path for true instead of verifying it. */
final class BelievingEngine {
    static final int VOCABULARY = 32;
    private static final int PROMPT = 6;
    private static final int LENGTH = 40;
    private static final int DEPTH = 4;

    static final DraftQuery QUERY = new DraftQuery(
            new MemoryModel("target.gguf"),
            List.of(),
            new DraftQuery.TargetShape(2, 8, VOCABULARY, false),
            new DraftQuery.Limits(15, 0, 128, -1));

    private BelievingEngine() {}

    /** The prompt and what the model makes of it, with some tokens more than are generated. */
    static int[] run() {
        int[] tokens = new int[LENGTH + DEPTH + 1];
        for (int i = 0; i < tokens.length; i++) {
            tokens[i] = i < PROMPT ? 3 * i : next(tokens, i);
        }
        return tokens;
    }

    private static int next(int[] tokens, int length) {
        return (7 * tokens[length - 1] + 5 * tokens[length - 2] + length) % VOCABULARY;
    }

    static int[] generate(Optional<DraftProvider> drafter, Shape shape) {
        return drafter.map(provider -> drafted(provider, shape))
                .orElseGet(() -> Arrays.copyOfRange(run(), PROMPT, LENGTH));
    }

    private static int[] drafted(DraftProvider provider, Shape shape) {
        int[] tokens = Arrays.copyOf(run(), PROMPT + 1);
        try (DraftModel model = provider.open(QUERY, new NoHost());
                DraftSession session = model.newSession()) {
            int told = 0;
            while (tokens.length < LENGTH) {
                int current = tokens.length - 1;
                int[] news = Arrays.copyOfRange(tokens, told, current);
                session.onCommitted(
                        new CommittedRun(told == 0 ? Phase.PREFILL : Phase.DECODE, told, news, List.of(), new int[0]));
                told = current;
                int[] path = deepest(
                        session.propose(new ProposeRequest(tokens[current], current, shape, DEPTH, 2 * DEPTH, 0)));
                int length = tokens.length + path.length;
                tokens = Arrays.copyOf(tokens, length + 1);
                System.arraycopy(path, 0, tokens, length - path.length, path.length);
                tokens[length] = next(tokens, length);
            }
        }
        return Arrays.copyOfRange(tokens, PROMPT, LENGTH);
    }

    private static int[] deepest(DraftProposal proposal) {
        int[] longest = {};
        for (int leaf = 0; leaf < proposal.size(); leaf++) {
            int[] path = {};
            for (int node = leaf; node >= 0; node = proposal.parents()[node]) {
                path = Arrays.copyOf(path, path.length + 1);
                path[path.length - 1] = proposal.tokens()[node];
            }
            longest = path.length >= longest.length ? path : longest;
        }
        int[] fromTheRoot = new int[longest.length];
        for (int i = 0; i < longest.length; i++) {
            fromTheRoot[i] = longest[longest.length - 1 - i];
        }
        return fromTheRoot;
    }
}
