package dev.tandem.testkit.draft;

import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftProposal;
import dev.tandem.spi.draft.ProposeRequest;
import java.util.SplittableRandom;

/**
 * Knows the run and guesses it: always right, or wrong at a seeded share of the positions. A tree has a wrong sibling
 * before each right node.
 */
public final class ReplayDrafts extends TestDrafts {
    private final int[] run;
    private final int vocabulary;
    private final double wrongShare;
    private final long seed;

    /**
     * A strategy that is always right.
     *
     * @param run the prompt and what follows
     * @param vocabulary number of token ids, at least 2
     * @param shape of its proposals
     */
    public ReplayDrafts(int[] run, int vocabulary, DraftPlan.Shape shape) {
        this(run, vocabulary, shape, 0, 0);
    }

    /**
     * A strategy that is wrong now and then.
     *
     * @param run the prompt and what follows
     * @param vocabulary number of token ids, at least 2
     * @param shape of its proposals
     * @param wrongShare share of positions guessed wrong, from 0 to 1
     * @param seed which positions those are
     */
    public ReplayDrafts(int[] run, int vocabulary, DraftPlan.Shape shape, double wrongShare, long seed) {
        super("replay", shape, 64);
        this.run = run.clone();
        this.vocabulary = vocabulary;
        this.wrongShare = wrongShare;
        this.seed = seed;
    }

    @Override
    protected DraftProposal guess(ProposeRequest request) {
        TreeBuilder tree = new TreeBuilder(request.maxNodes());
        int parent = -1;
        for (int depth = 1; depth <= request.maxDepth() && !tree.full(); depth++) {
            int position = request.position() + depth;
            if (position >= run.length) {
                break;
            }
            int wrong = (run[position] + 1) % vocabulary;
            boolean wrongHere = new SplittableRandom(seed + 31L * position).nextDouble() < wrongShare;
            if (!chain(request) && !wrongHere) {
                tree.add(parent, wrong);
                if (tree.full()) {
                    break;
                }
            }
            parent = tree.add(parent, wrongHere ? wrong : run[position]);
        }
        return tree.build();
    }
}
