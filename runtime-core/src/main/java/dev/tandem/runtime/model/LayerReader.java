package dev.tandem.runtime.model;

import dev.tandem.runtime.model.LayerFacts.Attention;
import dev.tandem.runtime.model.LayerFacts.Experts;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.Value;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads {@link LayerFacts} from a graph whose nodes are labelled {@code blk.N.part}. */
final class LayerReader {
    private static final Pattern LABEL = Pattern.compile("blk\\.([0-9]{1,9})\\..*");
    private static final String SHARED_EXPERTS = ".ffn_up_shexp.weight";

    private final Map<Integer, List<Node>> layers = new TreeMap<>();
    private final Map<Value, Op> makers = new HashMap<>();
    private final Map<String, StateSpec> states = new HashMap<>();

    LayerReader(Graph graph) {
        for (Node node : graph.nodes()) {
            node.outputs().forEach(value -> makers.put(value, node.op()));
            Matcher label = LABEL.matcher(node.label());
            if (label.matches()) {
                layers.computeIfAbsent(Integer.valueOf(label.group(1)), layer -> new ArrayList<>())
                        .add(node);
            }
        }
        graph.states().forEach(state -> states.put(state.slot(), state));
    }

    List<LayerFacts> read() {
        List<LayerFacts> facts = new ArrayList<>();
        layers.forEach((layer, nodes) -> facts.add(new LayerFacts(
                layer,
                first(nodes, node -> as(Op.Rope.class, node.op())),
                first(nodes, this::attention),
                first(nodes, node -> as(Op.ScaleByPosition.class, node.op())),
                first(nodes, this::convolution),
                first(nodes, node -> experts(node, nodes)))));
        return List.copyOf(facts);
    }

    private static <T> Optional<T> first(List<Node> nodes, Function<Node, Optional<T>> fact) {
        return nodes.stream().flatMap(node -> fact.apply(node).stream()).findFirst();
    }

    private static <T> Optional<T> as(Class<T> type, Object value) {
        return Optional.of(value).filter(type::isInstance).map(type::cast);
    }

    private <T> T state(Class<T> type, String slot) {
        return type.cast(Objects.requireNonNull(states.get(slot), slot));
    }

    private Optional<Attention> attention(Node node) {
        return as(Op.Attention.class, node.op()).map(op -> {
            StateSpec.Kv kv = state(StateSpec.Kv.class, op.slot());
            return new Attention(
                    op.heads(),
                    kv.heads(),
                    kv.keyDim(),
                    kv.valueDim(),
                    kv.window(),
                    op.softCap(),
                    op.sinks().isPresent());
        });
    }

    private Optional<Integer> convolution(Node node) {
        return as(Op.ShortConv.class, node.op())
                .map(op -> state(StateSpec.ConvWindow.class, op.slot()).width());
    }

    /** A routing counts as one where its weights combine what experts made. */
    private Optional<Experts> experts(Node node, List<Node> layer) {
        if (!(node.op() instanceof Op.MoeCombine)) {
            return Optional.empty();
        }
        Optional<Op.MoeMatMul> down = maker(Op.MoeMatMul.class, node.inputs().getFirst());
        return maker(Op.MoeRoute.class, node.inputs().getLast())
                .map(route -> new Experts(
                        route.experts(),
                        route.used(),
                        down.map(last -> sharedWidth(layer) / last.experts().columns())
                                .orElse(0),
                        route.scoring(),
                        route.renormalise(),
                        route.weightScale(),
                        route.selectionBias().isPresent(),
                        route.groups()));
    }

    private <T extends Op> Optional<T> maker(Class<T> type, Value value) {
        Op op = makers.get(value);
        return op == null ? Optional.empty() : as(type, op);
    }

    private static int sharedWidth(List<Node> layer) {
        return layer.stream()
                .flatMap(node -> node.op().weights().stream())
                .filter(weight -> weight.tensor().endsWith(SHARED_EXPERTS))
                .findFirst()
                .map(weight -> Math.toIntExact(weight.rowCount()))
                .orElse(0);
    }
}
