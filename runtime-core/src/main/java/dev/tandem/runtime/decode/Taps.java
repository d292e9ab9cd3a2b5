package dev.tandem.runtime.decode;

import dev.tandem.runtime.model.LanguageModel;
import dev.tandem.runtime.placement.PlacedGraph;
import dev.tandem.spi.backend.Rows;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;

/**
 * Hidden states that one sequence wants of each step. They are copied to the host while nobody else runs a step, so that
 * whoever reads them need not hold up other sequences. One thread at a time.
 */
public final class Taps {
    private List<String> names;
    private List<Rows> rows = List.of();

    /**
     * Wants every tap of a target.
     *
     * @param count number of taps of its graph; 0 for none
     */
    public Taps(int count) {
        this.names = IntStream.range(0, count).mapToObj(LanguageModel::tap).toList();
    }

    /** Wants nothing from now on: whoever read them has stopped. */
    public void stop() {
        names = List.of();
        rows = List.of();
    }

    /** Outputs to ask for. */
    Set<String> names() {
        return Set.copyOf(names);
    }

    /** Takes the hidden states of a step that has run; its target must not run another meanwhile. */
    void copy(PlacedGraph.Result result) {
        rows = names.stream()
                .map(name -> PlacedGraph.Result.onHost(result.output(name)))
                .toList();
    }

    /** The last step's, one per tap. */
    List<Rows> rows() {
        return rows;
    }
}
