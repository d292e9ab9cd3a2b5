package dev.tandem.testkit.contract;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.testkit.contract.Harness.Part;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;

/**
 * A seeded program of calls on some states; afterwards each state equals that of its tokens fed one by one: its bytes,
 * and the outputs of two more rows.
 */
final class Program {
    private static final int CALLS = 16;
    private static final int TOKENS = 500;

    private final Harness harness;
    private final boolean cutsAnywhere;
    private final long seed;
    private final Random random;
    private final List<Tracked> states = new ArrayList<>();

    /** A state beside the tokens that it must hold. */
    private record Tracked(SequenceState state, List<Integer> tokens) {}

    Program(Harness harness, boolean cutsAnywhere, long seed) {
        this.harness = harness;
        this.cutsAnywhere = cutsAnywhere;
        this.seed = seed;
        this.random = new Random(seed);
    }

    void run() {
        Tracked first = new Tracked(harness.newState(), new ArrayList<>());
        states.add(first);
        if (seed % 4 == 0) {
            prefill(first, 119 + random.nextInt(8)); // so that steps cross the 128th row
        }
        for (int call = 0; call < CALLS; call++) {
            call(states.get(random.nextInt(states.size())));
        }
        for (Tracked tracked : states) {
            check(tracked);
            tracked.state.close();
        }
    }

    private void call(Tracked tracked) {
        switch (random.nextInt(12)) {
            case 0, 1 -> prefill(tracked, 1 + random.nextInt(9));
            case 2, 3 -> prefill(tracked, 1);
            case 4, 5, 6, 7 -> verify(tracked);
            case 8 -> truncate(tracked);
            case 9 -> states.add(new Tracked(tracked.state.fork(), new ArrayList<>(tracked.tokens)));
            case 10 -> states.add(imported(tracked));
            default -> replace(tracked);
        }
    }

    private Feed rows(int... tokens) {
        return Feed.of(harness.graph(), 1, tokens);
    }

    private void prefill(Tracked tracked, int count) {
        int[] tokens = random.ints(count, 0, TOKENS).toArray();
        harness.feed(tracked.state, rows(tokens));
        for (int token : tokens) {
            tracked.tokens.add(token);
        }
    }

    /** A chain or a tree, of which nothing, a path or a part of a path is kept. */
    private void verify(Tracked tracked) {
        int n = 1 + random.nextInt(12);
        boolean chain = random.nextInt(3) == 0;
        int[] parents = new int[n];
        for (int i = 0; i < n; i++) {
            parents[i] = chain ? i - 1 : random.nextInt(i + 1) - 1;
        }
        int[] tokens = random.ints(n, 0, TOKENS).toArray();
        harness.step(List.of(new Part(tracked.state, StepKind.VERIFY, parents)), rows(tokens));
        if (random.nextInt(5) == 0) {
            tracked.state.rollback();
            return;
        }
        List<Integer> path = new ArrayList<>();
        for (int at = random.nextInt(n + 1) - 1; at >= 0; at = parents[at]) {
            path.addFirst(at);
        }
        tracked.state.commit(path.stream().mapToInt(Integer::intValue).toArray());
        path.forEach(row -> tracked.tokens.add(tokens[row]));
    }

    private void truncate(Tracked tracked) {
        int wanted = random.nextInt(tracked.tokens.size() + 1);
        int reached = tracked.state.truncate(wanted);
        assertTrue(reached <= wanted, () -> "seed " + seed + ": cut to " + reached + " instead of at most " + wanted);
        assertTrue(
                reached == wanted || !cutsAnywhere,
                () -> "seed " + seed + ": keys and values can be cut to " + wanted + ", not only to " + reached);
        assertEquals(reached, tracked.state.committedRows(), () -> "seed " + seed + ": rows after truncate");
        tracked.tokens.subList(reached, tracked.tokens.size()).clear();
    }

    private Tracked imported(Tracked tracked) {
        SequenceState copy = harness.newState();
        copy.importFrom(MemorySegment.ofArray(Harness.export(tracked.state)));
        return new Tracked(copy, new ArrayList<>(tracked.tokens));
    }

    /** Replaces the rows of a state that has some by those of another. */
    private void replace(Tracked tracked) {
        Tracked source = states.get(random.nextInt(states.size()));
        tracked.state.importFrom(MemorySegment.ofArray(Harness.export(source.state)));
        List<Integer> tokens = List.copyOf(source.tokens);
        tracked.tokens.clear();
        tracked.tokens.addAll(tokens);
    }

    private void check(Tracked tracked) {
        int[] tokens = tracked.tokens.stream().mapToInt(Integer::intValue).toArray();
        try (SequenceState single = harness.newState()) {
            harness.feedOneByOne(single, rows(tokens));
            String message = "program of seed " + seed + ", " + tokens.length + " tokens";
            assertEquals(tokens.length, tracked.state.committedRows(), message);
            assertArrayEquals(Harness.export(single), Harness.export(tracked.state), message);
            Feed more = rows(TOKENS, TOKENS + 1);
            Outputs expected = harness.step(List.of(Part.chain(single, 2)), more);
            harness.step(List.of(Part.chain(tracked.state, 2)), more).assertBits(expected, message);
            single.rollback();
            tracked.state.rollback();
        }
    }
}
