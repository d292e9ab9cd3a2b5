package dev.tandem.runtime.speculative;

import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.draft.CommittedRun;
import dev.tandem.spi.draft.CommittedRun.Phase;
import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftPlan.Fits;
import dev.tandem.spi.draft.DraftPlan.HiddenTap;
import dev.tandem.spi.draft.DraftPlan.HiddenTap.Stage;
import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.spi.draft.DraftProposal;
import dev.tandem.spi.draft.DraftQuery;
import dev.tandem.spi.draft.DraftSession;
import dev.tandem.spi.draft.ProposeRequest;
import dev.tandem.spi.draft.Verdict;
import dev.tandem.testkit.draft.NoHost;
import dev.tandem.testkit.draft.ReplayDrafts;
import dev.tandem.testkit.draft.TestDrafts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Replays a run as trees, copies the hidden states of every committed token, and then overwrites the arrays that it was
 * given: they are its own.
 */
final class TappingDrafts extends TestDrafts {
    /** Every stage, of a model of two layers. */
    static final List<HiddenTap> TAPS = List.of(
            new HiddenTap(1, Stage.LAYER_OUTPUT),
            new HiddenTap(0, Stage.EMBEDDING),
            new HiddenTap(0, Stage.LAYER_OUTPUT),
            new HiddenTap(0, Stage.FINAL_PRE_NORM),
            new HiddenTap(0, Stage.FINAL_POST_NORM));

    private static final int NONSENSE = 1 << 30;

    private final DraftSession replay;
    final List<Phase> phases = new ArrayList<>();
    /** Bits per committed position and tap. */
    final List<int[][]> heard = new ArrayList<>();

    TappingDrafts(int[] run, int vocabulary, DraftQuery query) {
        super("tapping", Shape.TREE, 64);
        this.replay = new ReplayDrafts(run, vocabulary, Shape.TREE, 0.2, 5)
                .open(query, new NoHost())
                .newSession();
    }

    @Override
    public DraftPlan plan(DraftQuery query) {
        Fits fits = (Fits) super.plan(query);
        return new Fits(fits.strategy(), TAPS, false, false, fits.shape(), fits.maxDepth(), fits.cost(), fits.notes());
    }

    @Override
    protected DraftProposal guess(ProposeRequest request) {
        return replay.propose(request);
    }

    @Override
    protected DraftSession session() {
        return new Session() {
            @Override
            public void onCommitted(CommittedRun run) {
                if (run.start() != heard.size() || run.taps().size() != TAPS.size()) {
                    throw new IllegalStateException("told " + run + " after " + heard.size() + " tokens");
                }
                phases.add(run.phase());
                for (int row : run.rows()) {
                    int[][] bits = new int[TAPS.size()][];
                    for (int tap = 0; tap < bits.length; tap++) {
                        Rows rows = run.taps().get(tap);
                        bits[tap] = Hosted.bits(rows, row, 1);
                    }
                    heard.add(bits);
                }
                Arrays.fill(run.tokens(), NONSENSE);
                Arrays.fill(run.rows(), NONSENSE);
            }

            @Override
            public void onVerified(Verdict verdict) {
                Arrays.fill(verdict.accepted(), NONSENSE);
            }

            @Override
            public void truncate(int position) {
                heard.subList(position, heard.size()).clear();
            }
        };
    }
}
