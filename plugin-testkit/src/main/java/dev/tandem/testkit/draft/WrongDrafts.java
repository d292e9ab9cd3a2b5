package dev.tandem.testkit.draft;

import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftProposal;
import dev.tandem.spi.draft.ProposeRequest;

/** Knows the run and never guesses it: a chain beside it, or many first tokens that are all wrong. */
public final class WrongDrafts extends TestDrafts {
    private final int[] run;
    private final int vocabulary;

    /**
     * A strategy.
     *
     * @param run the prompt and what follows
     * @param vocabulary number of token ids, at least 2
     * @param shape of its proposals
     */
    public WrongDrafts(int[] run, int vocabulary, DraftPlan.Shape shape) {
        super("wrong", shape, 64);
        this.run = run.clone();
        this.vocabulary = vocabulary;
    }

    @Override
    protected DraftProposal guess(ProposeRequest request) {
        TreeBuilder tree = new TreeBuilder(request.maxNodes());
        int most = chain(request) ? request.maxDepth() : vocabulary - 1;
        for (int i = 0; i < most && !tree.full(); i++) {
            int position = request.position() + 1 + (chain(request) ? i : 0);
            if (position >= run.length) {
                break;
            }
            boolean chain = chain(request);
            tree.add(chain ? i - 1 : -1, (run[position] + 1 + (chain ? 0 : i)) % vocabulary);
        }
        return tree.build();
    }
}
