package dev.tandem.spi.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.graph.ValueType.RowSet;
import dev.tandem.spi.graph.WeightRef.RowSlice;
import dev.tandem.spi.model.DType;
import dev.tandem.spi.model.ModelId;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class GraphTests {
    private static final ModelId MODEL = new ModelId(1, "m.gguf");
    private static final ValueType ROW = ValueType.f32(RowSet.STEP, 8);

    private final Graph.Builder graph = Graph.builder("g");

    private static WeightRef weight(String name, long... shape) {
        List<Long> sizes = Arrays.stream(shape).boxed().toList();
        return new WeightRef(MODEL, name, DType.F32, sizes, Optional.empty());
    }

    private static Op matMul(long rows, long columns) {
        return new Op.MatMul(weight("w", rows, columns), Optional.empty(), Op.Arithmetic.BY_PRECISION);
    }

    private void refused(String part, Op op, Value... inputs) {
        String message = assertThrows(IllegalArgumentException.class, () -> graph.addAll("blk.7.node", op, inputs))
                .getMessage();
        assertTrue(message != null && message.contains("blk.7.node") && message.contains(part), message);
        assertTrue(message != null && message.contains(op.name()), message);
    }

    @Test
    void shapesThatDoNotFitAreRefusedWithLabelOpAndShapes() {
        Value x = graph.input("x", ROW);
        Value narrow = graph.input("narrow", ValueType.f32(RowSet.STEP, 6));
        Value few = graph.input("few", ValueType.f32(RowSet.SELECTED, 8));
        Value ids = graph.input("ids", ValueType.i32(RowSet.STEP, 2));
        refused("w f32[4, 9]", matMul(4, 9), x);
        refused("columns differ", new Op.Add(), x, narrow);
        refused("rows differ", new Op.Add(), x, few);
        refused("takes f32", new Op.Scale(2f), ids);
        refused("takes 2 inputs", new Op.Add(), x);
        refused("rows of the whole step", new Op.SelectRows(), few);
        refused("no multiple of 5", new Op.L2Norm(5, 0f), x);
        refused("beyond a group", new Op.Columns(2, 3, 2), x);
        refused("no multiple of the groups", new Op.Concat(4), x, narrow);
        refused("k = 9", new Op.TopKLogProb(9), x);
        refused("not declared", new Op.KvAppend("kv"), x, x);
        RopeSpec rope = new RopeSpec(1e4, 6, new RopeSpec.Scaling.None(), List.of());
        refused("beyond the head", new Op.Rope(Op.Rope.Pairing.HALVES, rope, 8, 4), x);
        graph.state(new StateSpec.Kv("kv", 2, 4, 4, DType.F16, 0));
        Op three = new Op.Attention("kv", 3, 1f, 0f, Optional.empty(), Op.Attention.InStep.ANCESTORS);
        refused("3 heads are no multiple", three, x, x, x);
        assertThrows(IllegalArgumentException.class, () -> graph.state(new StateSpec.ConvWindow("kv", 8, 4)), "twice");
    }

    @Test
    void outputsAndInputsAreFoundByName() {
        Value x = graph.input("x", ROW);
        Value y = graph.add("w", matMul(5, 8), x);
        Graph built = graph.output("y", y).build();
        assertEquals(ValueType.f32(RowSet.STEP, 5), built.output("y").type());
        assertEquals(x, built.inputs().get("x"));
        assertEquals(List.of(weight("w", 5, 8)), List.copyOf(built.weights()));
        assertThrows(IllegalArgumentException.class, () -> built.output("z"));
        assertThrows(IllegalArgumentException.class, () -> graph.output("y", y).build(), "stands twice");
    }

    @Test
    void aGraphReadsOnlyWhatEarlierNodesDefined() {
        Value x = graph.input("x", ROW);
        graph.add("twice", new Op.Add(), x, x);
        Graph built = graph.build();
        List<Node> reversed = built.nodes().reversed();
        assertThrows(IllegalArgumentException.class, () -> new Graph("g", reversed, List.of()));
        List<Node> doubled = List.of(
                built.nodes().get(0), built.nodes().get(1), built.nodes().get(1));
        assertThrows(IllegalArgumentException.class, () -> new Graph("g", doubled, List.of()));
        Node lying =
                new Node(new Op.Add(), List.of(x, x), List.of(new Value(9, ValueType.f32(RowSet.STEP, 4))), "liar");
        assertThrows(
                IllegalArgumentException.class,
                () -> new Graph("g", List.of(built.nodes().getFirst(), lying), List.of()));
    }

    @Test
    void equalGraphsPrintAlike() {
        String expected = """
                graph g
                  %0: f32[step, 8] = Input[name=x]()  # x
                  %1: f32[selected, 8] = SelectRows[](%0)  # select
                  Output[name=y](%1)  # y
                """;
        Value x = graph.input("x", ROW);
        assertEquals(
                expected,
                graph.output("y", graph.add("select", new Op.SelectRows(), x))
                        .build()
                        .toString());
    }

    @Test
    void slicesStayInsideTheTensorAndMapRows() {
        WeightRef whole = weight("w", 20, 8);
        WeightRef slice = whole.rows(new RowSlice(1, 2, 6, 3));
        assertEquals(6, slice.rowCount());
        assertEquals(8, slice.slice().orElseThrow().rowOf(3));
        assertEquals(13, slice.slice().orElseThrow().rowOf(4));
        assertThrows(IllegalArgumentException.class, () -> whole.rows(new RowSlice(1, 2, 6, 4)));
        assertThrows(IllegalArgumentException.class, () -> new RowSlice(0, 3, 2, 2));
    }
}
