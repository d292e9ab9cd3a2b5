package dev.tandem.testkit.contract;

import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Backend.Support;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Node;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.ValueType;
import dev.tandem.spi.graph.ValueType.RowSet;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.DType;
import dev.tandem.testkit.MemoryModel;
import dev.tandem.testkit.contract.Harness.Part;
import dev.tandem.testkit.oracle.OracleProvider;
import java.util.List;
import java.util.Optional;

/** Two models with equal tensor names and different values (BE-06). */
final class WeightChecks {
    private static final int COLUMNS = 96;
    private static final int OUT = 7;
    private static final double TOLERANCE = 4e-6;

    private final Backend backend;
    private final MemoryModel first = model("first", 1);
    private final MemoryModel second = model("second", 2);

    WeightChecks(Backend backend) {
        this.backend = backend;
    }

    private static MemoryModel model(String name, long seed) {
        return new MemoryModel(name)
                .tensor("table", DType.F32, Blocks.random(DType.F32, seed, 40, COLUMNS), 40, COLUMNS)
                .tensor("gain", DType.F32, Blocks.random(DType.F32, seed + 5, 1, COLUMNS), COLUMNS)
                .tensor("w", DType.Q8_0, Blocks.random(DType.Q8_0, seed, OUT, COLUMNS), OUT, COLUMNS)
                .tensor("bias", DType.F32, Blocks.random(DType.F32, seed + 7, 1, OUT), OUT);
    }

    /** Uses of weights of some models side by side; what the backend refuses is left out. */
    private Graph graph(MemoryModel... models) {
        Graph.Builder graph = Graph.builder("two models");
        Value x = graph.input("x", ValueType.f32(RowSet.STEP, COLUMNS));
        for (MemoryModel model : models) {
            String name = model.id().file();
            add(graph, name + " embedding", new Op.Embed(weight(model, "table")));
            add(graph, name + " norm", new Op.RmsNorm(Optional.of(weight(model, "gain")), COLUMNS, 1e-5f), x);
            Op matMul =
                    new Op.MatMul(weight(model, "w"), Optional.of(weight(model, "bias")), Op.Arithmetic.BY_PRECISION);
            add(graph, name + " matmul", matMul, x);
        }
        return graph.build();
    }

    private void add(Graph.Builder graph, String label, Op op, Value... inputs) {
        int columns = op instanceof Op.MatMul ? OUT : COLUMNS;
        Node node =
                new Node(op, List.of(inputs), List.of(new Value(1_000, ValueType.f32(RowSet.STEP, columns))), label);
        if (backend.supports(node, Precision.FAST) instanceof Support.Yes) {
            graph.output(label, graph.add(label, op, inputs));
        }
    }

    private static WeightRef weight(MemoryModel model, String tensor) {
        return WeightRef.of(model, model.tensor(tensor).orElseThrow());
    }

    void weightsAreFoundByModelAndTensor() {
        oneAfterTheOther(first, second);
        oneAfterTheOther(second, first);
        inOneGraph(first, second);
        inOneGraph(second, first);
    }

    private void oneAfterTheOther(MemoryModel one, MemoryModel other) {
        Graph ofOne = graph(one);
        Graph ofOther = graph(other);
        Harness left = new Harness(backend, ofOne, Precision.FAST, one);
        try (Harness right = new Harness(backend, ofOther, Precision.FAST, other)) {
            outputs(left).assertClose(expected(ofOne, one), TOLERANCE, "the model loaded first");
            outputs(right).assertClose(expected(ofOther, other), TOLERANCE, "the model loaded second");
            left.close();
            outputs(right).assertClose(expected(ofOther, other), TOLERANCE, "the model that was not closed");
        } finally {
            left.close();
        }
    }

    private void inOneGraph(MemoryModel one, MemoryModel other) {
        Graph both = graph(first, second);
        try (Harness harness = new Harness(backend, both, Precision.FAST, one, other)) {
            outputs(harness).assertClose(expected(both, one, other), TOLERANCE, "a graph of two models");
        }
    }

    private static Outputs outputs(Harness harness) {
        try (SequenceState state = harness.newState()) {
            return harness.step(List.of(Part.chain(state, 3)), Feed.of(harness.graph(), 1, 3, 17, 39));
        }
    }

    private static Outputs expected(Graph graph, MemoryModel... models) {
        Backend oracle = OracleProvider.open();
        try (Harness harness = new Harness(oracle, graph, Precision.FAST, models)) {
            return outputs(harness);
        } finally {
            oracle.close();
        }
    }
}
