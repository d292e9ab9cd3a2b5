package dev.tandem.runtime.speculative;

import dev.tandem.runtime.model.LanguageModel;
import dev.tandem.runtime.model.LanguageModel.GraphOptions;
import dev.tandem.runtime.model.ModelShape;
import dev.tandem.spi.draft.DraftQuery;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.model.DType;
import dev.tandem.spi.model.ModelView;
import java.util.List;

/** What strategies are asked; needs a file's header only. */
public final class DraftQueries {
    private DraftQueries() {}

    /**
     * A question about a target.
     *
     * @param target the file
     * @param language as its architecture understood it
     * @param files further files given for drafting, in the user's order
     * @param contextRows most positions of a sequence
     * @param stepRows most rows of a step
     * @param freeBytes memory left on the device, or -1 when unknown
     */
    public static DraftQuery of(
            ModelView target,
            LanguageModel language,
            List<ModelView> files,
            int contextRows,
            int stepRows,
            long freeBytes) {
        ModelShape shape = language.shape();
        boolean recurrent = language.forward(new GraphOptions(DType.F16, List.of())).states().stream()
                .anyMatch(state -> !(state instanceof StateSpec.Kv));
        return new DraftQuery(
                target,
                files,
                new DraftQuery.TargetShape(shape.layers(), shape.hidden(), shape.vocabulary(), recurrent),
                new DraftQuery.Limits(stepRows - 1, shape.vocabulary(), contextRows, freeBytes));
    }
}
