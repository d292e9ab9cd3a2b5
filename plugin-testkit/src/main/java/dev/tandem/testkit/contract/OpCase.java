package dev.tandem.testkit.contract;

import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Backend.Support;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.testkit.MemoryModel;
import java.util.ArrayList;
import java.util.List;

/**
 * One op at one size: a graph of inputs, the op and outputs.
 *
 * @param graph the graph
 * @param model its weights
 * @param idBound ids in i32 inputs are below this
 * @param history rows fed before, where the op has a memory
 */
record OpCase(Graph graph, MemoryModel model, int idBound, int history) {
    /** Every op at awkward sizes, with every type of weight. */
    static List<OpCase> all() {
        return Made.CASES;
    }

    /** The cases, made once: the weights of all types take a while. */
    private static final class Made {
        static final List<OpCase> CASES = make();

        private static List<OpCase> make() {
            List<OpCase> cases = new ArrayList<>();
            cases.addAll(ElementCases.all());
            cases.addAll(RankCases.all());
            cases.addAll(WeightCases.all());
            cases.addAll(StateCases.all());
            return List.copyOf(cases);
        }
    }

    String name() {
        return graph.name();
    }

    /** The op under test. */
    Node node() {
        return graph.nodes().stream()
                .filter(node -> !(node.op() instanceof Op.Input))
                .findFirst()
                .orElseThrow();
    }

    boolean supportedBy(Backend backend, Precision precision) {
        return backend.supports(node(), precision) instanceof Support.Yes;
    }

    /** Whether the precision can matter. */
    boolean multipliesMatrices() {
        return node().op() instanceof Op.MatMul || node().op() instanceof Op.MoeMatMul;
    }

    /** Whether a row sees rows after it, so that its result depends on how many there are. */
    boolean seesLaterRows() {
        return node().op() instanceof Op.Attention attention && attention.inStep() == Op.Attention.InStep.BLOCK;
    }

    /**
     * Largest error allowed between a backend and the oracle, as a share of the output's largest magnitude. Ops whose
     * f32 result float64 gives exactly, have none; sums in f32 have more than functions of one element; a recurrence
     * carries its own on.
     */
    double tolerance() {
        return switch (node().op()) {
            case Op.Input input -> 0;
            case Op.Output output -> 0;
            case Op.Embed embed -> 0;
            case Op.SelectRows select -> 0;
            case Op.Concat concat -> 0;
            case Op.Columns columns -> 0;
            case Op.Add add -> 0;
            case Op.Multiply multiply -> 0;
            case Op.Scale scale -> 0;
            case Op.ArgMax argMax -> 0;
            case Op.KvAppend append -> 0;
            case Op.GatedDeltaRule rule -> 2e-5;
            case Op.MatMul matMul -> 4e-6;
            case Op.MoeMatMul matMul -> 4e-6;
            default -> 2e-6;
        };
    }
}
