package dev.tandem.drafts.dflash;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftPlan.HiddenTap;
import dev.tandem.spi.draft.DraftQuery;
import dev.tandem.spi.draft.DraftQuery.Limits;
import dev.tandem.spi.draft.DraftQuery.TargetShape;
import dev.tandem.spi.model.ModelView;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is said of a drafter and a model before anything is loaded. */
final class PairingTests {
    private static final TargetShape SPRIG = new TargetShape(8, 512, 12_288, false);

    private final GgufFile file = GgufFile.open(Sprig.shared("models/sprig-java-31m-dflash-q8_0.gguf"));

    @AfterEach
    void close() {
        file.close();
    }

    private DraftPlan plan(TargetShape shape, ModelView... files) {
        return new DflashProvider()
                .plan(new DraftQuery(file, List.of(files), shape, new Limits(255, 12_288, 4096, -1)));
    }

    private void refused(TargetShape shape, ModelView drafter, String... words) {
        DraftPlan.Unsupported no = assertInstanceOf(DraftPlan.Unsupported.class, plan(shape, drafter));
        for (String word : words) {
            assertTrue(no.reason().contains(word), () -> word + " in: " + no.reason());
        }
        assertTrue(!no.remedy().isBlank());
    }

    private EditedView edited() {
        return new EditedView(file);
    }

    @Test
    void theDrafterOfTheModelFits() {
        DraftPlan.Fits fits = assertInstanceOf(DraftPlan.Fits.class, plan(SPRIG, file));
        assertEquals(
                List.of(1, 3, 5, 6), fits.taps().stream().map(HiddenTap::layer).toList());
        assertEquals(15, fits.maxDepth());
        assertTrue(fits.usesEmbedding() && fits.usesHead());
        assertTrue(
                fits.notes().stream().anyMatch(note -> note.contains("[1, 3, 5, 6]")),
                fits.notes().toString());
    }

    @Test
    void withoutADrafterTheRemedyNamesTheOption() {
        DraftPlan.Unsupported none = assertInstanceOf(DraftPlan.Unsupported.class, plan(SPRIG));
        assertTrue(none.reason().contains("no drafter file"), none.reason());
        assertTrue(none.remedy().contains("--draft-model"), none.remedy());
        refused(SPRIG, edited().architecture("llama"), "llama");
    }

    @Test
    void anotherModelIsRefusedWithBothNumbers() {
        refused(new TargetShape(8, 1024, 12_288, false), file, "512", "1024");
        refused(new TargetShape(6, 512, 12_288, false), file, "layer 6", "0 to 5");
        refused(new TargetShape(8, 512, 12_287, false), file, "12287", "mask token");
        refused(
                new TargetShape(8, 512, 12_290, false),
                edited().with("tokenizer.ggml.mask_token_id", 12_290L),
                "12290");
        refused(
                new TargetShape(8, 512, 12_000, false),
                edited().with("tokenizer.ggml.mask_token_id", 4L),
                "12288 tokens",
                "12000");
    }

    @Test
    void aFileWithoutAMaskTokenIsRefused() {
        refused(
                SPRIG,
                edited().with("tokenizer.ggml.mask_token_id", Optional.empty()),
                "tokenizer.ggml.mask_token_id is missing");
    }

    @Test
    void everyKeyIsChecked() {
        refused(SPRIG, edited().with("dflash.block_size", 1L), "dflash.block_size", "1 is not in");
        refused(SPRIG, edited().with("dflash.target_layers", List.of()), "dflash.target_layers", "0 layers");
        refused(SPRIG, edited().with("dflash.target_layers", List.of(0L, 2L)), "dflash.target_layers", "0 is not in");
        refused(SPRIG, edited().with("dflash.block_count", 1_000_000L), "dflash.block_count");
        refused(SPRIG, edited().with("dflash.attention.head_count_kv", 3L), "8 heads", "3 key heads");
        refused(SPRIG, edited().with("dflash.rope.freq_base", -1.0), "dflash.rope.freq_base");
        refused(SPRIG, edited().with("dflash.rope.scaling.type", "yarn"), "yarn");
        refused(SPRIG, edited().with("dflash.block_count", 3L), "blk.2.attn_k.weight", "missing");
        refused(SPRIG, edited().with("dflash.feed_forward_length", 1024L), "blk.0.ffn_gate.weight", "1536", "1024");
        refused(SPRIG, edited().with("dflash.target_layers", List.of(2L, 4L, 6L)), "fc.weight", "2048", "1536");
    }

    @Test
    void relatedMethodsAreNotTakenForThisOne() {
        for (String foreign : Arrays.asList("d2t", "markov_w1.weight", "blk.0.attn_gate.weight")) {
            EditedView drafter = edited().tensors(name -> name.equals("blk.1.attn_q_norm.weight") ? foreign : name);
            refused(SPRIG, drafter, foreign);
        }
    }

    @Test
    void slidingLayersSeeTheirWindowAndOnlyEarlierRowsOfTheBlock() {
        EditedView sliding = edited().with("dflash.attention.sliding_window", 2048L)
                .with("dflash.attention.sliding_window_pattern", List.of(1L, 0L));
        DrafterFile drafter = DrafterFile.read(sliding);
        assertEquals(List.of(2048, 0), drafter.windows());
        assertEquals(List.of(true, false), drafter.causal());
        assertEquals(
                List.of(true, true),
                DrafterFile.read(sliding.with("dflash.attention.causal", true)).causal());
        assertEquals(List.of(false, false), DrafterFile.read(file).causal());
    }

    /** No file of these converters was at hand: this is our own with its keys and tensors renamed. */
    @Test
    void otherConvertersSpellKeysAndTensorsOtherwise() {
        for (String architecture : List.of("dflash-draft", "qwen35-dflash-draft")) {
            boolean dotted = architecture.startsWith("qwen35");
            EditedView renamed = edited().architecture(architecture)
                    .keys(key ->
                            key.replace(architecture + ".dflash.", "dflash.").replace(architecture + ".", "dflash."))
                    .with(architecture + ".dflash.target_layer_ids", List.of(1L, 3L, 5L, 6L))
                    .tensors(name -> switch (name) {
                        case "fc.weight" -> dotted ? "dflash.fc.weight" : "dflash_fc.weight";
                        case "enc.output_norm.weight" ->
                            dotted ? "dflash.hidden_norm.weight" : "dflash_hidden_norm.weight";
                        default -> name.replace("ffn_norm", "post_attention_norm");
                    });
            DraftPlan.Fits fits = assertInstanceOf(DraftPlan.Fits.class, plan(SPRIG, renamed), architecture);
            assertEquals(
                    List.of(1, 3, 5, 6),
                    fits.taps().stream().map(HiddenTap::layer).toList(),
                    architecture);
        }
    }
}
