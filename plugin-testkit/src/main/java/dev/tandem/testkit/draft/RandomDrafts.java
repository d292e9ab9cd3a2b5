package dev.tandem.testkit.draft;

import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftProposal;
import dev.tandem.spi.draft.ProposeRequest;
import java.util.SplittableRandom;

/** Guesses at random, within the bounds: a pure function of seed and position. */
public final class RandomDrafts extends TestDrafts {
    private final long seed;
    private final int vocabulary;

    /**
     * A strategy.
     *
     * @param seed of its guesses
     * @param vocabulary number of token ids
     * @param shape of its proposals
     */
    public RandomDrafts(long seed, int vocabulary, DraftPlan.Shape shape) {
        super("random", shape, 64);
        this.seed = seed;
        this.vocabulary = vocabulary;
    }

    @Override
    protected DraftProposal guess(ProposeRequest request) {
        SplittableRandom random = new SplittableRandom(seed + 31L * request.position());
        TreeBuilder tree = new TreeBuilder(request.maxNodes());
        int[] depths = new int[request.maxNodes()];
        int nodes = 1 + random.nextInt(request.maxNodes());
        for (int i = 0; i < nodes; i++) {
            int parent = chain(request) ? i - 1 : random.nextInt(-1, i);
            int depth = parent < 0 ? 1 : depths[parent] + 1;
            int token = random.nextInt(vocabulary);
            if (depth > request.maxDepth() || tree.has(parent, token)) {
                break;
            }
            depths[tree.add(parent, token)] = depth;
        }
        return tree.build();
    }
}
