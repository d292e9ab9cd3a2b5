package dev.tandem.testkit.draft;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.draft.CommittedRun;
import dev.tandem.spi.draft.CommittedRun.Phase;
import dev.tandem.spi.draft.DraftHost;
import dev.tandem.spi.draft.DraftModel;
import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.spi.draft.DraftProposal;
import dev.tandem.spi.draft.DraftProvider;
import dev.tandem.spi.draft.DraftQuery;
import dev.tandem.spi.draft.DraftSession;
import dev.tandem.spi.draft.ProposeRequest;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/**
 * The rules of {@link dev.tandem.spi.draft} for strategies that need no hidden states, as tests that a plugin's own
 * tests inherit. Methods bear the rules' numbers. A strategy is given token streams with repetitions, since one that
 * looks for them would otherwise be silent.
 */
public abstract class DraftContract {
    private static final int SEED = 20_260_101;

    /**
     * The strategy under test.
     *
     * @return a new provider, as the service loader makes it
     */
    protected abstract DraftProvider provider();

    /**
     * A target that the strategy fits.
     *
     * @return what it is asked about
     */
    protected abstract DraftQuery query();

    /**
     * Generates with a real engine, for a prompt and sampler of the test's choice, which are the same in every call.
     *
     * @param drafter the strategy; empty for plain decoding
     * @param shape of the proposals asked for
     * @return the chosen tokens
     */
    protected abstract int[] generate(Optional<DraftProvider> drafter, Shape shape);

    /**
     * The engine's side.
     *
     * @return by default one that fails every request
     */
    protected DraftHost host() {
        return new NoHost();
    }

    private DraftModel open() {
        DraftProvider provider = provider();
        assertInstanceOf(DraftPlan.Fits.class, provider.plan(query()));
        return provider.open(query(), host());
    }

    /** DR-01. */
    @Test
    void dr01OutputWithTheDrafterEqualsOutputWithoutIt() {
        int[] plain = generate(Optional.empty(), Shape.CHAIN);
        assertTrue(plain.length > 0, "the test generates nothing");
        for (Shape shape : Shape.values()) {
            assertArrayEquals(plain, generate(Optional.of(provider()), shape), shape.name());
        }
    }

    /** DR-02, as far as it shows from outside: the answer is data, at any size. */
    @Test
    void dr02PlanAnswersForEveryTargetAndDoesNotThrow() {
        DraftQuery query = query();
        for (int size : new int[] {1, 7, 1_000_000}) {
            DraftQuery odd = new DraftQuery(
                    query.target(),
                    List.of(),
                    new DraftQuery.TargetShape(size, size, size, size == 7),
                    new DraftQuery.Limits(size, size, size, -1));
            DraftPlan plan = assertDoesNotThrow(() -> provider().plan(odd));
            assertNotNull(plan);
            if (plan instanceof DraftPlan.Fits fits) {
                assertTrue(fits.maxDepth() >= 1, "a plan that fits has a depth");
                assertTrue(fits.taps().stream().allMatch(tap -> tap.layer() < size), "taps lie inside the target");
            }
        }
        assertEquals(provider().plan(query()), provider().plan(query()), "the same question has the same answer");
    }

    /** DR-03 and DR-04. */
    @Test
    void dr03And04ProposalsAreTreesWithinTheRequest() {
        int vocabulary = query().shape().vocabulary();
        SplittableRandom random = new SplittableRandom(SEED);
        try (DraftModel model = open();
                DraftSession session = model.newSession()) {
            int[] stream = stream(random, 600);
            for (int at = 0; at < stream.length - 1; ) {
                int length = Math.min(1 + random.nextInt(9), stream.length - 1 - at);
                commit(session, stream, at, at + length);
                at += length;
                int nodes = 1 + random.nextInt(12);
                ProposeRequest request =
                        new ProposeRequest(stream[at], at, shape(random), 1 + random.nextInt(nodes), nodes, 0);
                check(session.propose(request), request, vocabulary, "seed " + SEED + ", position " + at);
            }
        }
    }

    private static Shape shape(SplittableRandom random) {
        return random.nextBoolean() ? Shape.CHAIN : Shape.TREE;
    }

    private static void check(DraftProposal proposal, ProposeRequest request, int vocabulary, String where) {
        int size = proposal.size();
        assertTrue(size <= request.maxNodes(), where + ": " + size + " nodes of " + request);
        assertEquals(size, proposal.parents().length, where + ": number of parents");
        int logProbs = proposal.logProbs().length;
        assertTrue(logProbs == 0 || logProbs == size, where + ": " + logProbs + " log-probabilities");
        for (float logProb : proposal.logProbs()) {
            assertFalse(Float.isNaN(logProb), where + ": a log-probability is not a number");
        }
        int[] depths = new int[size];
        Set<List<Integer>> edges = new HashSet<>();
        for (int i = 0; i < size; i++) {
            int parent = proposal.parents()[i];
            assertTrue(parent >= -1 && parent < i, where + ": node " + i + " has parent " + parent);
            depths[i] = parent < 0 ? 1 : depths[parent] + 1;
            assertTrue(depths[i] <= request.maxDepth(), where + ": depth " + depths[i] + " of " + request);
            int token = proposal.tokens()[i];
            assertTrue(token >= 0 && token < vocabulary, where + ": token " + token);
            assertTrue(edges.add(List.of(parent, token)), where + ": node " + i + " repeats a sibling");
            assertTrue(request.shape() == Shape.TREE || parent == i - 1, where + ": a chain branches at node " + i);
        }
    }

    /** DR-05. */
    @Test
    void dr05AfterTruncateProposalsAreThoseOfAFreshSession() {
        SplittableRandom random = new SplittableRandom(SEED);
        try (DraftModel model = open()) {
            for (int round = 0; round < 40; round++) {
                int[] before = stream(random, 40 + random.nextInt(40));
                int[] after = stream(random, 40 + random.nextInt(40));
                int kept = round % 8 == 0 ? 0 : random.nextInt(before.length);
                int[] joined = IntStream.concat(Arrays.stream(before, 0, kept), Arrays.stream(after))
                        .toArray();
                try (DraftSession cut = model.newSession();
                        DraftSession fresh = model.newSession()) {
                    commit(cut, before, 0, before.length);
                    cut.propose(new ProposeRequest(1, before.length, Shape.TREE, 4, 8, 0));
                    cut.truncate(kept);
                    compare(cut, fresh, joined, kept, "seed " + SEED + ", round " + round);
                }
            }
        }
    }

    private static void compare(DraftSession cut, DraftSession fresh, int[] stream, int kept, String where) {
        commit(fresh, stream, 0, kept);
        for (int at = kept; at < stream.length - 1; at++) {
            ProposeRequest request = new ProposeRequest(stream[at], at, Shape.TREE, 4, 8, 0);
            DraftProposal expected = fresh.propose(request);
            DraftProposal actual = cut.propose(request);
            assertArrayEquals(expected.tokens(), actual.tokens(), where + ", position " + at);
            assertArrayEquals(expected.parents(), actual.parents(), where + ", position " + at);
            commit(cut, stream, at, at + 1);
            commit(fresh, stream, at, at + 1);
        }
    }

    /** DR-06. */
    @Test
    void dr06CloseMayBeCalledTwice() {
        DraftModel model = open();
        DraftSession session = model.newSession();
        session.onCommitted(new CommittedRun(Phase.PREFILL, 0, new int[] {0}, List.of(), new int[0]));
        session.close();
        session.close();
        model.close();
        model.close();
    }

    /** Tells of {@code stream[from..to)}, as a prompt and then as generated tokens. */
    private static void commit(DraftSession session, int[] stream, int from, int to) {
        if (to > from) {
            Phase phase = from == 0 ? Phase.PREFILL : Phase.DECODE;
            session.onCommitted(
                    new CommittedRun(phase, from, Arrays.copyOfRange(stream, from, to), List.of(), new int[0]));
        }
    }

    /** Tokens among which pieces of earlier text return. */
    private int[] stream(SplittableRandom random, int length) {
        int letters = Math.min(query().shape().vocabulary(), 8);
        int[] tokens = new int[length];
        for (int i = 0; i < length; ) {
            if (i > 4 && random.nextInt(3) == 0) {
                int from = random.nextInt(i - 1);
                int count = Math.min(2 + random.nextInt(10), Math.min(i - from, length - i));
                System.arraycopy(tokens, from, tokens, i, count);
                i += count;
            } else {
                tokens[i++] = random.nextInt(letters);
            }
        }
        return tokens;
    }
}
