package dev.tandem.runtime.speculative;

import static dev.tandem.runtime.speculative.Speculating.OPTIONS;
import static dev.tandem.runtime.speculative.Speculating.WARM;
import static dev.tandem.runtime.speculative.Speculating.request;

import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.spi.draft.DraftProvider;
import dev.tandem.spi.draft.DraftQuery;
import dev.tandem.testkit.draft.DraftContract;
import dev.tandem.testkit.draft.RandomDrafts;
import dev.tandem.testkit.draft.ReplayDrafts;
import dev.tandem.testkit.draft.WrongDrafts;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;

/** The kit's honest strategies keep the contract that the kit publishes. */
final class KitDraftTests {
    @TestInstance(Lifecycle.PER_CLASS)
    abstract static class Contract extends DraftContract {
        final Speculating s = new Speculating("llama");
        final int[] run = s.run(request(40, WARM));

        @AfterAll
        void close() {
            s.close();
        }

        @Override
        protected DraftQuery query() {
            return s.model.draftQuery(List.of());
        }

        @Override
        protected int[] generate(Optional<DraftProvider> drafter, Shape shape) {
            return drafter.map(d ->
                            s.drafted(d, new DraftOptions(5, 12, shape, false, OPTIONS.deadline()), request(30, WARM)))
                    .orElseGet(() -> s.plain(request(30, WARM)))
                    .ids();
        }
    }

    @Nested
    final class RandomTree extends Contract {
        @Override
        protected DraftProvider provider() {
            return new RandomDrafts(3, s.vocabulary(), Shape.TREE);
        }
    }

    @Nested
    final class RandomChain extends Contract {
        @Override
        protected DraftProvider provider() {
            return new RandomDrafts(3, s.vocabulary(), Shape.CHAIN);
        }
    }

    @Nested
    final class ReplayTree extends Contract {
        @Override
        protected DraftProvider provider() {
            return new ReplayDrafts(run, s.vocabulary(), Shape.TREE, 0.2, 4);
        }
    }

    @Nested
    final class Wrong extends Contract {
        @Override
        protected DraftProvider provider() {
            return new WrongDrafts(run, s.vocabulary(), Shape.TREE);
        }
    }
}
