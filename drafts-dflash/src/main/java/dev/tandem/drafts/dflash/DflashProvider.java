package dev.tandem.drafts.dflash;

import dev.tandem.spi.InferenceException;
import dev.tandem.spi.draft.DraftHost;
import dev.tandem.spi.draft.DraftModel;
import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftPlan.Cost;
import dev.tandem.spi.draft.DraftPlan.Cost.Growth;
import dev.tandem.spi.draft.DraftPlan.HiddenTap;
import dev.tandem.spi.draft.DraftPlan.HiddenTap.Stage;
import dev.tandem.spi.draft.DraftProvider;
import dev.tandem.spi.draft.DraftQuery;
import java.util.List;

/** {@code dflash}: needs a drafter's file, taps the target, uses its embedding and head. */
public final class DflashProvider implements DraftProvider {
    /** Called by the service loader. */
    public DflashProvider() {}

    @Override
    public String id() {
        return "dflash";
    }

    @Override
    public DraftPlan plan(DraftQuery query) {
        DrafterFile drafter;
        try {
            drafter = Pairing.of(query);
            new BlockGraphs(drafter, query.shape().hidden()).requireTensors();
        } catch (InferenceException e) {
            return new DraftPlan.Unsupported(e.getMessage(), e.remedy());
        }
        List<HiddenTap> taps = drafter.taps().stream()
                .map(layer -> new HiddenTap(layer, Stage.LAYER_OUTPUT))
                .toList();
        DrafterFile.Sizes sizes = drafter.sizes();
        long stateBytes = 2L * Float.BYTES * sizes.layers() * sizes.kvHeads() * sizes.headDim();
        return new DraftPlan.Fits(
                "DFlash, blocks of " + drafter.block(),
                taps,
                true,
                true,
                DraftPlan.Shape.TREE,
                drafter.block() - 1,
                new Cost(drafter.bytes(), stateBytes, Growth.PER_BLOCK),
                drafter.notes());
    }

    @Override
    public DraftModel open(DraftQuery query, DraftHost host) {
        return new DflashModel(Pairing.of(query), query, host);
    }
}
