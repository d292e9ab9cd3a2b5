package dev.tandem.testkit.wrap;

import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Executable;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.WeightSet;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.model.DType;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Refuses some nodes that the backend inside computes; compiles no graph that holds one. */
public final class LameBackend extends WrappingBackend {
    private static final Pattern LAYER = Pattern.compile("blk\\.(\\d+)\\..*");

    private final Refusal refusal;

    /** Which nodes are refused. */
    @FunctionalInterface
    public interface Refusal {
        /**
         * Judges a node.
         *
         * @param node of a graph
         * @return why it is refused, or empty
         */
        Optional<String> reason(Node node);
    }

    /**
     * A backend that refuses nodes.
     *
     * @param inner computes the others
     * @param refusal which
     */
    public LameBackend(Backend inner, Refusal refusal) {
        super(inner);
        this.refusal = refusal;
    }

    /**
     * Refuses one op.
     *
     * @param inner computes the others
     * @param op the record's class
     * @return the backend
     */
    public static LameBackend withoutOp(Backend inner, Class<? extends Op> op) {
        return new LameBackend(inner, node -> refuse(op.isInstance(node.op()), "no kernel for " + op.getSimpleName()));
    }

    /**
     * Refuses the layers 1, 3, 5 and so on, known by labels such as {@code blk.3.attn_q}.
     *
     * @param inner computes the others
     * @return the backend
     */
    public static LameBackend withoutEverySecondLayer(Backend inner) {
        return new LameBackend(inner, node -> {
            Matcher matcher = LAYER.matcher(node.label());
            boolean odd = matcher.matches() && Integer.parseInt(matcher.group(1)) % 2 == 1;
            return refuse(odd, "odd layers are refused");
        });
    }

    /**
     * Refuses nodes that read weights of one type.
     *
     * @param inner computes the others
     * @param type of the weights
     * @return the backend
     */
    public static LameBackend withoutWeightType(Backend inner, DType type) {
        return new LameBackend(
                inner,
                node -> refuse(
                        node.op().weights().stream().anyMatch(w -> w.type() == type), "no kernel reads " + type));
    }

    private static Optional<String> refuse(boolean refused, String reason) {
        return refused ? Optional.of(reason) : Optional.empty();
    }

    @Override
    public Support supports(Node node, Precision precision) {
        Optional<String> reason = refusal.reason(node);
        return reason.isPresent() ? new Support.No(reason.get()) : super.supports(node, precision);
    }

    @Override
    public Executable compile(Graph graph, CompileOptions options, List<WeightSet> weights) {
        for (Node node : graph.nodes()) {
            refusal.reason(node).ifPresent(reason -> {
                throw new IllegalArgumentException(graph.name() + ": " + node.label() + ": " + reason);
            });
        }
        return super.compile(graph, options, weights);
    }
}
