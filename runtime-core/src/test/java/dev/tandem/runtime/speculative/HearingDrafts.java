package dev.tandem.runtime.speculative;

import dev.tandem.spi.draft.CommittedRun;
import dev.tandem.spi.draft.CommittedRun.Phase;
import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftProposal;
import dev.tandem.spi.draft.DraftSession;
import dev.tandem.spi.draft.ProposeRequest;
import dev.tandem.spi.draft.Verdict;
import dev.tandem.testkit.draft.TestDrafts;
import java.util.ArrayList;
import java.util.List;

/** Replays a run and throws where the engine does not tell what the contract promises. */
final class HearingDrafts extends TestDrafts {
    /** What it expects and guesses; a test may change it between generations. */
    private volatile int[] run;

    final List<Phase> phases = new ArrayList<>();
    final List<Integer> truncations = new ArrayList<>();
    final List<Verdict> verdicts = new ArrayList<>();
    /** Tokens heard and not forgotten. */
    final List<Integer> heard = new ArrayList<>();

    HearingDrafts(int[] run) {
        super("hearing", DraftPlan.Shape.CHAIN, 64);
        this.run = run;
    }

    void expect(int[] other) {
        run = other;
    }

    @Override
    protected DraftProposal guess(ProposeRequest request) {
        require(request.position() == heard.size(), "asked at " + request.position() + ", told " + heard.size());
        for (int i = 0; i < heard.size(); i++) {
            require(heard.get(i) == run[i], "token " + i);
        }
        require(request.token() == run[heard.size()], "current token");
        int[] chain = new int[Math.clamp(run.length - request.position() - 1, 0, request.maxDepth())];
        System.arraycopy(run, request.position() + 1, chain, 0, chain.length);
        return DraftProposal.chain(chain);
    }

    private static void require(boolean kept, String what) {
        if (!kept) {
            throw new IllegalStateException("the engine told something else: " + what);
        }
    }

    @Override
    protected DraftSession session() {
        return new Session() {
            @Override
            public void onCommitted(CommittedRun committed) {
                require(committed.start() == heard.size(), "a gap at " + committed.start());
                require(committed.tokens().length > 0, "nothing");
                phases.add(committed.phase());
                for (int token : committed.tokens()) {
                    heard.add(token);
                }
            }

            @Override
            public void onVerified(Verdict verdict) {
                verdicts.add(verdict);
            }

            @Override
            public void truncate(int position) {
                require(position < heard.size(), "truncation to " + position + " of " + heard.size());
                truncations.add(position);
                heard.subList(position, heard.size()).clear();
            }
        };
    }
}
