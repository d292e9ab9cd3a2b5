package dev.tandem.testkit.contract;

import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.ValueType;
import dev.tandem.spi.graph.ValueType.RowSet;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.DType;
import dev.tandem.testkit.MemoryModel;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Builds a case: weights first, then inputs, then the op. */
final class CaseBuilder {
    private final MemoryModel model;
    private final Graph.Builder graph;
    private final List<Value> inputs = new ArrayList<>();
    private int idBound = 1;
    private int history = 9;

    CaseBuilder(String name) {
        this.model = new MemoryModel(name);
        this.graph = Graph.builder(name);
    }

    /** A random weight of the case's model. */
    WeightRef weight(String name, DType type, long... shape) {
        long rows = 1;
        for (int i = 0; i < shape.length - 1; i++) {
            rows *= shape[i];
        }
        model.tensor(name, type, Blocks.random(type, name.hashCode(), rows, shape[shape.length - 1]), shape);
        return WeightRef.of(model, model.tensor(name).orElseThrow());
    }

    /** A weight of given values. */
    WeightRef values(String name, float... values) {
        model.floats(name, values, values.length);
        return WeightRef.of(model, model.tensor(name).orElseThrow());
    }

    Optional<WeightRef> vector(String name, int size) {
        return Optional.of(weight(name, DType.F32, size));
    }

    CaseBuilder input(String name, int columns) {
        inputs.add(graph.input(name, ValueType.f32(RowSet.STEP, columns)));
        return this;
    }

    /** An input with rows for the selected rows only. */
    CaseBuilder selected(String name, int columns) {
        inputs.add(graph.input(name, ValueType.f32(RowSet.SELECTED, columns)));
        return this;
    }

    CaseBuilder ids(String name, int columns, int bound) {
        inputs.add(graph.input(name, ValueType.i32(RowSet.STEP, columns)));
        idBound = bound;
        return this;
    }

    CaseBuilder state(StateSpec spec) {
        graph.state(spec);
        return this;
    }

    CaseBuilder after(int rows) {
        history = rows;
        return this;
    }

    OpCase op(Op op) {
        List<Value> outputs = graph.addAll("op", op, inputs.toArray(Value[]::new));
        for (int i = 0; i < outputs.size(); i++) {
            graph.output("y" + i, outputs.get(i));
        }
        return new OpCase(graph.build(), model, idBound, history);
    }
}
