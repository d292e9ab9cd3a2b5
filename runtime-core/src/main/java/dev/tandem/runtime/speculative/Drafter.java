package dev.tandem.runtime.speculative;

import dev.tandem.spi.draft.CommittedRun;
import dev.tandem.spi.draft.DraftModel;
import dev.tandem.spi.draft.DraftProposal;
import dev.tandem.spi.draft.DraftSession;
import dev.tandem.spi.draft.ProposeRequest;
import dev.tandem.spi.draft.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * One sequence's session of a strategy, behind a guard: whatever it throws, answers or leaves undone, callers get a
 * checked tree or nothing. After its first fault it is parked: not asked and not told any more. One thread at a time.
 */
final class Drafter implements AutoCloseable {
    private static final int MOST_UNTOLD = 64;

    private final String strategy;
    private final int vocabulary;
    private final DraftThread thread;
    /** Waking the thread for each token of a session that nobody asks would cost more than what it does then. */
    private final List<CommittedRun> untold = new ArrayList<>();
    /** Touched on the strategy's thread only. */
    private @Nullable DraftSession session;

    /**
     * Starts a session.
     *
     * @param strategy id, for messages
     * @param model makes it
     * @param vocabulary number of token ids
     * @param deadline longest time of one call
     */
    Drafter(String strategy, DraftModel model, int vocabulary, Duration deadline) {
        this.strategy = strategy;
        this.vocabulary = vocabulary;
        this.thread = new DraftThread(strategy, deadline);
        thread.post("newSession", () -> session = Objects.requireNonNull(model.newSession(), "no session"));
    }

    /** The id that users type. */
    String strategy() {
        return strategy;
    }

    /** Why it is parked; empty where it is not. */
    Optional<String> parked() {
        return thread.fault();
    }

    /** Tells it of committed tokens, at the latest before anything else that it is told or asked. */
    void committed(CommittedRun run) {
        untold.add(run);
        if (untold.size() >= MOST_UNTOLD) {
            tellCommitted();
        }
    }

    private void tellCommitted() {
        if (!untold.isEmpty()) {
            List<CommittedRun> runs = List.copyOf(untold);
            untold.clear();
            tell("onCommitted", session -> runs.forEach(session::onCommitted));
        }
    }

    /** Tells it what became of its proposal. */
    void verified(int[] accepted, int nextToken) {
        tellCommitted();
        tell("onVerified", session -> session.onVerified(new Verdict(accepted, nextToken)));
    }

    /** Has it forget everything from a position on. */
    void truncate(int position) {
        tellCommitted();
        tell("truncate", session -> session.truncate(position));
    }

    private void tell(String method, Consumer<DraftSession> call) {
        if (parked().isEmpty()) {
            thread.post(method, () -> call.accept(Objects.requireNonNull(session)));
        }
    }

    /**
     * Asks for guesses.
     *
     * @param request the bounds
     * @param stop asked while waiting
     * @return a tree with at least one guess; empty where there is none, also for a fault
     */
    Optional<DraftTree> propose(ProposeRequest request, BooleanSupplier stop) {
        if (parked().isPresent()) {
            return Optional.empty();
        }
        tellCommitted();
        Optional<DraftProposal> answer = thread.ask(
                "propose",
                () -> Objects.requireNonNull(
                        Objects.requireNonNull(session).propose(request), "no proposal, not even an empty one"),
                stop);
        try {
            return answer.map(proposal -> DraftTree.of(request, vocabulary, proposal))
                    .filter(tree -> tree.nodes() > 0);
        } catch (IllegalArgumentException e) {
            thread.fail("propose broke its contract: " + e.getMessage());
            return Optional.empty();
        }
    }

    /** Waits until it has heard everything, so that a fault shows; not where it is parked. */
    void settle(BooleanSupplier stop) {
        tellCommitted();
        if (parked().isEmpty()) {
            thread.ask("settle", () -> true, stop);
        }
    }

    /** Closes the session on its thread. A parked one is not waited for. */
    @Override
    public void close() {
        thread.quit("close", () -> {
            if (session != null) {
                session.close();
            }
        });
    }
}
