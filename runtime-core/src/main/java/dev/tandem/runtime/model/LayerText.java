package dev.tandem.runtime.model;

import dev.tandem.runtime.model.LayerFacts.Attention;
import dev.tandem.runtime.model.LayerFacts.Experts;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Op.MoeRoute.Scoring;
import dev.tandem.spi.graph.RopeSpec.Scaling;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/** {@link LayerFacts} for people, one line for each thing, with the layers where not all have it. */
final class LayerText {
    private final List<LayerFacts> layers;
    private final List<String> lines = new ArrayList<>();

    private LayerText(List<LayerFacts> layers) {
        this.layers = layers;
    }

    /** Attention, rope, windows, convolutions and experts. */
    static List<String> lines(List<LayerFacts> layers) {
        LayerText text = new LayerText(layers);
        text.add(facts -> facts.attention().map(Attention::withoutWindow), LayerText::attention);
        text.add(LayerFacts::rope, LayerText::rope);
        text.add(facts -> facts.attention().map(Attention::window), LayerText::window);
        text.add(LayerFacts::queryScale, LayerText::queryScale);
        text.add(LayerFacts::convolution, taps -> "short convolution: " + taps + " taps");
        text.add(LayerFacts::experts, LayerText::experts);
        return List.copyOf(text.lines);
    }

    private <T> void add(Function<LayerFacts, Optional<T>> property, Function<T, String> describe) {
        for (Map.Entry<T, List<Integer>> group :
                LayerFacts.group(layers, property).entrySet()) {
            String line = describe.apply(group.getKey());
            boolean all = group.getValue().size() == layers.size();
            lines.add(line + (all ? "" : ", " + ranges(group.getValue())));
        }
    }

    /** {@code layers 0-4, 6}. */
    static String ranges(List<Integer> numbers) {
        StringBuilder text = new StringBuilder(numbers.size() == 1 ? "layer " : "layers ");
        for (int i = 0; i < numbers.size(); ) {
            int end = i;
            while (end + 1 < numbers.size() && numbers.get(end + 1) == numbers.get(end) + 1) {
                end++;
            }
            text.append(i == 0 ? "" : ", ").append(numbers.get(i));
            text.append(end == i ? "" : (end == i + 1 ? ", " : "-") + numbers.get(end));
            i = end + 1;
        }
        return text.toString();
    }

    private static String attention(Attention attention) {
        StringBuilder text = new StringBuilder("attention: ")
                .append(attention.heads())
                .append(" heads on ")
                .append(attention.kvHeads())
                .append(" of keys and values, ")
                .append(attention.keyDim());
        if (attention.valueDim() != attention.keyDim()) {
            text.append(" and ").append(attention.valueDim());
        }
        text.append(" columns");
        if (attention.softCap() != 0f) {
            text.append(", scores within ").append(number(attention.softCap()));
        }
        return text.append(attention.sinks() ? ", a sink per head" : "").toString();
    }

    private static String window(int positions) {
        return "window: " + (positions == 0 ? "all positions" : positions + " positions");
    }

    private static String queryScale(Op.ScaleByPosition scale) {
        return "queries: times 1 + " + number((float) scale.strength()) + " ln(1 + position / " + scale.period() + ")";
    }

    private static String rope(Op.Rope rope) {
        String scaling = switch (rope.spec().scaling()) {
            case Scaling.None none -> "no scaling";
            case Scaling.Linear linear -> "linear scaling by " + number(linear.factor());
            case Scaling.Yarn yarn ->
                "yarn scaling by " + number(yarn.factor()) + " from " + yarn.originalContext() + " positions"
                        + factor(yarn.attentionFactor());
            case Scaling.Divisors divisors -> "a divisor per frequency" + factor(divisors.attentionFactor());
        };
        String pairs = rope.pairing() == Op.Rope.Pairing.HALVES ? "in halves" : "in neighbours";
        return "rope: base " + number(rope.spec().base()) + ", " + rope.spec().rotaryDims() + " of " + rope.headDim()
                + " columns " + pairs + ", " + scaling;
    }

    private static String factor(double attentionFactor) {
        return attentionFactor == 1.0 ? "" : ", times " + number((float) attentionFactor);
    }

    private static String experts(Experts experts) {
        StringBuilder text = new StringBuilder("experts: ")
                .append(experts.used())
                .append(" of ")
                .append(experts.count())
                .append(experts.shared() == 0 ? "" : " and " + experts.shared() + " shared")
                .append(scoring(experts.scoring()))
                .append(experts.selectionBias() ? ", chosen with a bias" : "")
                .append(experts.renormalised() ? ", renormalised" : "");
        if (experts.weightScale() != 1f) {
            text.append(", weights times ").append(number(experts.weightScale()));
        }
        experts.groups()
                .ifPresent(groups -> text.append(", in the best ")
                        .append(groups.used())
                        .append(" of ")
                        .append(groups.count())
                        .append(" groups"));
        return text.toString();
    }

    private static String scoring(Scoring scoring) {
        return switch (scoring) {
            case SOFTMAX_THEN_TOP -> ", softmax";
            case TOP_THEN_SOFTMAX -> ", softmax over those used";
            case SIGMOID_THEN_TOP -> ", sigmoid";
        };
    }

    /** Whole numbers without a fraction, others in their shortest form. */
    private static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }

    private static String number(float value) {
        return value == Math.rint(value) ? number((double) value) : Float.toString(value);
    }
}
