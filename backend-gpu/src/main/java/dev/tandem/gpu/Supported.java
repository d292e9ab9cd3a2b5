package dev.tandem.gpu;

import dev.tandem.spi.backend.Backend.Support;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.numeric.Dequantizer;

/** What the kernels compute; everything else is placed on the host when a model is loaded. */
final class Supported {
    private static final int MOST_HEAD_COLUMNS = 640;
    private static final int MOST_RANKS = 64;
    private static final int MOST_EXPERTS = 1024;
    private static final int MOST_EXPERTS_USED = 64;
    private static final int MOST_EXPERT_GROUPS = 64;

    private Supported() {}

    static Support of(Node node) {
        for (WeightRef weight : node.op().weights()) {
            if (!Dequantizer.supports(weight.type())) {
                return new Support.No("no kernel reads weights of type " + weight.type());
            }
        }
        return switch (node.op()) {
            case Op.Attention attention -> attention(node, attention);
            case Op.TopKLogProb topK
            when topK.k() > MOST_RANKS -> new Support.No("at most " + MOST_RANKS + " ranks, not " + topK.k());
            case Op.MoeRoute route -> route(route);
            case Op.Input _, Op.Output _, Op.Embed _, Op.SelectRows _, Op.Concat _, Op.Columns _ -> new Support.Yes();
            case Op.MatMul _, Op.MoeMatMul _, Op.MoeCombine _, Op.KvAppend _ -> new Support.Yes();
            case Op.RmsNorm _, Op.L2Norm _, Op.LayerNorm _, Op.Rope _ -> new Support.Yes();
            case Op.Add _, Op.Multiply _, Op.Scale _, Op.ScaleByPosition _, Op.SoftCap _ -> new Support.Yes();
            case Op.Gate _, Op.ClampedGate _, Op.TopKLogProb _, Op.ArgMax _ -> new Support.Yes();
            default -> new Support.No("there is no kernel for " + node.op().name());
        };
    }

    private static Support attention(Node node, Op.Attention attention) {
        int keyDim = node.inputs().getFirst().columns() / attention.heads();
        int valueDim = node.output().columns() / attention.heads();
        if (keyDim > MOST_HEAD_COLUMNS || valueDim > MOST_HEAD_COLUMNS || valueDim % 2 != 0) {
            return new Support.No("heads of " + keyDim + " and " + valueDim + " columns; at most " + MOST_HEAD_COLUMNS
                    + ", and an even number of values");
        }
        return new Support.Yes();
    }

    private static Support route(Op.MoeRoute route) {
        int groups = route.groups().map(Op.MoeRoute.Groups::count).orElse(0);
        if (route.experts() > MOST_EXPERTS || route.used() > MOST_EXPERTS_USED || groups > MOST_EXPERT_GROUPS) {
            return new Support.No(route.used() + " of " + route.experts() + " experts in " + groups
                    + " groups; at most " + MOST_EXPERTS_USED + ", " + MOST_EXPERTS + " and " + MOST_EXPERT_GROUPS);
        }
        return new Support.Yes();
    }
}
