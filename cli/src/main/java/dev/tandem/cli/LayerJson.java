package dev.tandem.cli;

import dev.tandem.runtime.model.LayerFacts;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.RopeSpec.Scaling;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BiConsumer;
import java.util.function.Function;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What layers do, for programs: one array for each thing, whose objects name the layers that share it. */
final class LayerJson {
    private LayerJson() {}

    static void put(ObjectNode model, List<LayerFacts> layers) {
        put(model, "attention", layers, LayerFacts::attention, LayerJson::putAttention);
        put(model, "rope", layers, LayerFacts::rope, LayerJson::putRope);
        put(
                model,
                "query_scales",
                layers,
                LayerFacts::queryScale,
                (entry, scale) -> entry.put("strength", scale.strength()).put("period", scale.period()));
        put(model, "convolutions", layers, LayerFacts::convolution, (entry, taps) -> entry.put("taps", taps));
        put(model, "experts", layers, LayerFacts::experts, LayerJson::putExperts);
    }

    private static <T> void put(
            ObjectNode model,
            String name,
            List<LayerFacts> layers,
            Function<LayerFacts, Optional<T>> property,
            BiConsumer<ObjectNode, T> put) {
        ArrayNode groups = model.putArray(name);
        LayerFacts.group(layers, property).forEach((value, numbers) -> {
            ObjectNode entry = groups.addObject();
            entry.set(
                    "layers",
                    Json.numbers(numbers.stream().mapToInt(Integer::intValue).toArray()));
            put.accept(entry, value);
        });
    }

    private static void putAttention(ObjectNode entry, LayerFacts.Attention attention) {
        entry.put("heads", attention.heads())
                .put("kv_heads", attention.kvHeads())
                .put("key_columns", attention.keyDim())
                .put("value_columns", attention.valueDim())
                .put("window", attention.window())
                .put("score_cap", attention.softCap())
                .put("sinks", attention.sinks());
    }

    private static void putRope(ObjectNode entry, Op.Rope rope) {
        entry.put("base", rope.spec().base())
                .put("rotated_columns", rope.spec().rotaryDims())
                .put("head_columns", rope.headDim())
                .put("pairs", name(rope.pairing()));
        switch (rope.spec().scaling()) {
            case Scaling.None none -> entry.put("scaling", "none");
            case Scaling.Linear linear -> entry.put("scaling", "linear").put("factor", linear.factor());
            case Scaling.Yarn yarn ->
                entry.put("scaling", "yarn")
                        .put("factor", yarn.factor())
                        .put("original_context", yarn.originalContext())
                        .put("attention_factor", yarn.attentionFactor());
            case Scaling.Divisors divisors ->
                entry.put("scaling", "divisors").put("attention_factor", divisors.attentionFactor());
        }
    }

    private static void putExperts(ObjectNode entry, LayerFacts.Experts experts) {
        entry.put("count", experts.count())
                .put("used", experts.used())
                .put("shared", experts.shared())
                .put("scoring", name(experts.scoring()))
                .put("renormalised", experts.renormalised())
                .put("weight_scale", experts.weightScale())
                .put("selection_bias", experts.selectionBias());
        experts.groups().ifPresent(groups -> entry.put("groups", groups.count()).put("groups_used", groups.used()));
    }

    private static String name(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
