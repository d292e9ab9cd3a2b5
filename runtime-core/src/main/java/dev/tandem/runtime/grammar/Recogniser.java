package dev.tandem.runtime.grammar;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Follows a text byte by byte through a grammar's network.
 *
 * <p>All ways to read the text are followed at once: a state is a set of places, each a node that takes a byte and a stack of
 * nodes to return to. Stacks share their lower parts, equal ones are the same object, and a call at the end of a rule
 * leaves nothing on the stack. States are remembered with their successors, so a text read before costs an array access
 * per byte. One thread at a time.
 */
final class Recogniser {
    /** Ways to read one text; beyond, the grammar counts as too ambiguous. */
    private static final int MOST_PLACES = 8192;

    private final Network network;
    private final Map<Long, Stack> stacks = new HashMap<>();
    private final Map<List<Long>, State> states = new HashMap<>();
    private final State start;

    /** Nodes to return to. */
    private record Stack(int id, int node, @Nullable Stack below) {}

    /** A node, and where to go on behind its rule. */
    private record Place(int node, @Nullable Stack stack) {
        long key() {
            return (long) node << Integer.SIZE | (stack == null ? 0 : stack.id);
        }
    }

    /** All ways to read a text. */
    static final class State {
        private static final int BYTES = 256;

        private final List<Place> places;
        private final boolean ends;
        private final @Nullable State[] next = new State[BYTES];
        private @Nullable BitSet mask;

        private State(List<Place> places, boolean ends) {
            this.places = places;
            this.ends = ends;
        }

        /** Whether the text is whole. */
        boolean ends() {
            return ends;
        }

        /** Whether no further byte is possible. */
        boolean isStuck() {
            return places.isEmpty();
        }

        /** Whether the grammar has no such text, nor one that begins like it. */
        boolean isDead() {
            return places.isEmpty() && !ends;
        }

        /** What {@link #keep} was given. */
        @Nullable
        BitSet kept() {
            return mask;
        }

        /** Remembers the tokens that can follow. */
        void keep(BitSet tokens) {
            mask = tokens;
        }
    }

    Recogniser(Network network) {
        this.network = network;
        this.start = close(List.of(new Place(network.root(), null)));
    }

    /** The state of the empty text. */
    State start() {
        return start;
    }

    /** How many states are remembered. */
    int remembered() {
        return states.size();
    }

    /**
     * The state after another byte; stuck and not ending where the grammar has no such text.
     *
     * @param value 0 to 255
     * @throws dev.tandem.spi.UsageException where there are too many ways to read the text
     */
    State next(State state, int value) {
        State known = state.next[value];
        if (known != null) {
            return known;
        }
        List<Place> after = new ArrayList<>();
        for (Place place : state.places) {
            if (network.least(place.node) <= value && value <= network.greatest(place.node)) {
                after.add(new Place(network.next(place.node), place.stack));
            }
        }
        State next = close(after);
        state.next[value] = next;
        return next;
    }

    /** Follows forks, calls and ends until every place takes a byte. */
    private State close(List<Place> begin) {
        Deque<Place> open = new ArrayDeque<>(begin);
        Set<Long> seen = new HashSet<>();
        List<Place> places = new ArrayList<>();
        boolean ends = false;
        while (!open.isEmpty()) {
            Place place = open.removeLast();
            if (!seen.add(place.key())) {
                continue;
            }
            requireFew(seen.size(), place);
            int node = place.node;
            switch (network.kind(node)) {
                case BYTES -> places.add(place);
                case FORK ->
                    Arrays.stream(network.branches(node)).forEach(branch -> open.add(new Place(branch, place.stack)));
                case CALL -> open.add(new Place(network.callee(node), pushed(network.next(node), place.stack)));
                case END -> {
                    Stack stack = place.stack;
                    ends |= stack == null;
                    if (stack != null) {
                        open.add(new Place(stack.node, stack.below));
                    }
                }
            }
        }
        return interned(places, ends);
    }

    private void requireFew(int count, Place place) {
        if (count > MOST_PLACES) {
            int node = place.node != Network.END || place.stack == null ? place.node : place.stack.node;
            throw network.owner(node)
                    .refusal(
                            "makes the grammar too ambiguous: a text can be read in more than " + MOST_PLACES + " ways",
                            "Let alternatives begin differently.");
        }
    }

    private State interned(List<Place> places, boolean ends) {
        List<Long> key = new ArrayList<>(places.size() + 1);
        places.forEach(place -> key.add(place.key()));
        key.sort(null);
        key.add(ends ? 1L : 0L);
        return states.computeIfAbsent(key, absent -> new State(List.copyOf(places), ends));
    }

    private @Nullable Stack pushed(int node, @Nullable Stack below) {
        if (node == Network.END) {
            return below;
        }
        long key = (long) node << Integer.SIZE | (below == null ? 0 : below.id);
        return stacks.computeIfAbsent(key, absent -> new Stack(stacks.size() + 1, node, below));
    }

    /** The same state in another recogniser of the same network, whose memory is fresh. */
    State movedTo(Recogniser other, State state) {
        List<Place> places = new ArrayList<>();
        Map<Integer, Stack> moved = new HashMap<>();
        for (Place place : state.places) {
            Deque<Stack> chain = new ArrayDeque<>();
            for (Stack s = place.stack; s != null; s = s.below) {
                chain.push(s);
            }
            Stack stack = null;
            for (Stack s : chain) {
                Stack below = stack;
                stack = moved.computeIfAbsent(s.id, id -> Objects.requireNonNull(other.pushed(s.node, below)));
            }
            places.add(new Place(place.node, stack));
        }
        return other.interned(places, state.ends);
    }
}
