package dev.tandem.drafts.dflash;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.UsageException;
import dev.tandem.spi.draft.DraftQuery;
import dev.tandem.spi.model.ModelView;
import java.util.List;

/** Finds the drafter among the files given and checks that it was trained for the target. */
final class Pairing {
    private static final String OTHER_DRAFTER = "Give the drafter that was trained for this model with --draft-model.";

    private Pairing() {}

    /**
     * The drafter.
     *
     * @throws UsageException where none was given
     * @throws ModelFileException where it does not fit, with both numbers
     */
    static DrafterFile of(DraftQuery query) {
        DrafterFile drafter = DrafterFile.read(file(query));
        DraftQuery.TargetShape target = query.shape();
        if (drafter.sizes().hidden() != target.hidden()) {
            throw unfit(
                    drafter, "its hidden size is " + drafter.sizes().hidden() + ", the model's is " + target.hidden());
        }
        for (int layer : drafter.taps()) {
            if (layer >= target.layers()) {
                throw unfit(
                        drafter,
                        "it reads the output of layer " + layer + ", but the model has layers 0 to "
                                + (target.layers() - 1));
            }
        }
        if (drafter.maskToken() >= target.vocabulary()) {
            throw unfit(
                    drafter,
                    "its mask token is " + drafter.maskToken() + ", but the model's vocabulary has "
                            + target.vocabulary());
        }
        drafter.file()
                .metadata()
                .texts("tokenizer.ggml.tokens")
                .map(List::size)
                .filter(size -> size > target.vocabulary())
                .ifPresent(size -> {
                    throw unfit(drafter, "its vocabulary has " + size + " tokens, the model's " + target.vocabulary());
                });
        return drafter;
    }

    private static ModelView file(DraftQuery query) {
        return query.files().stream()
                .filter(file -> Dialect.of(file).isPresent())
                .findFirst()
                .orElseThrow(() -> new UsageException(
                        ErrorCode.BAD_ARGUMENT,
                        query.files().isEmpty()
                                ? "no drafter file was given"
                                : "none of the files given is a DFlash drafter: architecture "
                                        + query.files().getFirst().architecture(),
                        OTHER_DRAFTER));
    }

    private static ModelFileException unfit(DrafterFile drafter, String what) {
        return new ModelFileException(
                ErrorCode.MODEL_INCONSISTENT, drafter.file().id().file() + ": " + what, OTHER_DRAFTER);
    }
}
