package dev.tandem.spi.draft;

import java.util.ArrayList;
import java.util.List;

/** Weights and executables of a strategy, shared by sequences. */
public interface DraftModel extends AutoCloseable {
    /**
     * Starts drafting for a sequence.
     *
     * @return a session that has heard nothing
     */
    DraftSession newSession();

    /**
     * Proposes for several sequences at once. The default asks each session; strategies that gain from one joint pass
     * override it.
     *
     * @param sessions of this model
     * @param requests one per session
     * @return one proposal per request, in order
     */
    default List<DraftProposal> propose(List<DraftSession> sessions, List<ProposeRequest> requests) {
        List<DraftProposal> proposals = new ArrayList<>(sessions.size());
        for (int i = 0; i < sessions.size(); i++) {
            proposals.add(sessions.get(i).propose(requests.get(i)));
        }
        return List.copyOf(proposals);
    }

    /** Frees weights and executables. May be called twice. */
    @Override
    void close();
}
