package dev.tandem.runtime.model;

import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Op;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * What one layer of a graph does. It is read from the graph, so that it cannot differ from what runs.
 *
 * @param layer number, from 0
 * @param rope rotation of queries; empty where the layer does not rotate
 * @param attention empty where the layer does not attend
 * @param queryScale how queries grow with their position; empty where they do not
 * @param convolution taps of its short convolution; empty where it has none
 * @param experts empty where its feed-forward part is dense
 */
public record LayerFacts(
        int layer,
        Optional<Op.Rope> rope,
        Optional<Attention> attention,
        Optional<Op.ScaleByPosition> queryScale,
        Optional<Integer> convolution,
        Optional<Experts> experts) {

    /**
     * How a layer attends.
     *
     * @param heads of queries
     * @param kvHeads of keys and values
     * @param keyDim columns of a head's key, as stored
     * @param valueDim columns of a head's value, as stored
     * @param window positions seen; 0 for all
     * @param softCap bound of the scores; 0 for none
     * @param sinks whether each head has an extra logit
     */
    public record Attention(
            int heads, int kvHeads, int keyDim, int valueDim, int window, float softCap, boolean sinks) {
        Attention withoutWindow() {
            return new Attention(heads, kvHeads, keyDim, valueDim, 0, softCap, sinks);
        }
    }

    /**
     * How a layer routes.
     *
     * @param count experts to choose from
     * @param used experts chosen for a row
     * @param shared experts that every row uses
     * @param scoring from logits to weights
     * @param renormalised whether the chosen weights are divided by their sum
     * @param weightScale multiplies the weights
     * @param selectionBias whether the choice, but not the weight, has a bias
     * @param groups to which the choice is limited; empty for none
     */
    public record Experts(
            int count,
            int used,
            int shared,
            Op.MoeRoute.Scoring scoring,
            boolean renormalised,
            float weightScale,
            boolean selectionBias,
            Optional<Op.MoeRoute.Groups> groups) {}

    /**
     * Reads a graph.
     *
     * @param graph a forward graph
     * @return by layer
     */
    public static List<LayerFacts> of(Graph graph) {
        return new LayerReader(graph).read();
    }

    /**
     * Layers by what they have in common.
     *
     * @param layers of a model
     * @param property of a layer, which a layer may lack
     * @param <T> type of the property
     * @return the layers that have each value, in order of the first
     */
    public static <T> Map<T, List<Integer>> group(List<LayerFacts> layers, Function<LayerFacts, Optional<T>> property) {
        Map<T, List<Integer>> groups = new LinkedHashMap<>();
        for (LayerFacts facts : layers) {
            property.apply(facts)
                    .ifPresent(value -> groups.computeIfAbsent(value, v -> new ArrayList<>())
                            .add(facts.layer()));
        }
        return groups;
    }
}
