package dev.tandem.spi.graph;

import dev.tandem.spi.graph.ValueType.RowSet;
import dev.tandem.spi.model.DType;
import java.util.List;
import java.util.Map;

/** The shapes that each op's javadoc states, as code: infers output types and refuses inputs that do not fit. */
final class ShapeRules {
    private final String label;
    private final Op op;
    private final List<Value> inputs;
    private final Map<String, StateSpec> states;

    private ShapeRules(String label, Op op, List<Value> inputs, Map<String, StateSpec> states) {
        this.label = label;
        this.op = op;
        this.inputs = inputs;
        this.states = states;
    }

    /** Types of the outputs, or an IllegalArgumentException that names the label, the op and the shapes. */
    static List<ValueType> infer(String label, Op op, List<Value> inputs, Map<String, StateSpec> states) {
        return new ShapeRules(label, op, inputs, states).infer();
    }

    private List<ValueType> infer() {
        return switch (op) {
            case Op.Input input -> throw fail("an input is declared, not added");
            case Op.Output output -> {
                arity(1);
                yield List.of();
            }
            case Op.Embed embed -> {
                arity(0);
                yield List.of(ValueType.f32(RowSet.STEP, embed.table().columns()));
            }
            case Op.SelectRows select -> {
                arity(1);
                require(type(0).rows() == RowSet.STEP, "needs rows of the whole step");
                yield List.of(new ValueType(type(0).type(), RowSet.SELECTED, columns(0)));
            }
            case Op.Concat concat -> concat(concat.groups());
            case Op.Columns part -> columnsOf(part);
            case Op.MatMul matMul -> matMul(matMul);
            case Op.RmsNorm norm -> {
                norm.gain().ifPresent(gain -> vector(gain, norm.groupSize()));
                yield grouped(norm.groupSize());
            }
            case Op.L2Norm norm -> grouped(norm.groupSize());
            case Op.LayerNorm norm -> {
                vector(norm.gain(), columns(0));
                norm.bias().ifPresent(bias -> vector(bias, columns(0)));
                yield grouped(columns(0));
            }
            case Op.Rope rope -> {
                require(
                        rope.offset() >= 0 && rope.offset() + rope.spec().rotaryDims() <= rope.headDim(),
                        "rotates columns beyond the head's " + rope.headDim());
                yield grouped(rope.headDim());
            }
            case Op.Add add -> elementWise(false, false);
            case Op.Multiply multiply -> elementWise(false, true);
            case Op.Scale scale -> grouped(columns(0));
            case Op.ScaleByPosition scale -> grouped(columns(0));
            case Op.SoftCap cap -> grouped(columns(0));
            case Op.Gate gate -> elementWise(true, false);
            case Op.ClampedGate gate -> elementWise(false, false);
            case Op.Attention attention -> attention(attention);
            case Op.KvAppend append -> {
                arity(2);
                keyAndValue(slot(append.slot(), StateSpec.Kv.class), 0);
                yield List.of();
            }
            case Op.ShortConv conv -> shortConv(conv);
            case Op.GatedDeltaRule rule -> deltaRule(rule);
            case Op.MoeRoute route -> moeRoute(route);
            case Op.MoeMatMul matMul -> moeMatMul(matMul);
            case Op.MoeCombine combine -> {
                arity(2);
                require(columns(0) % columns(1) == 0, "expert outputs are no multiple of the ranks");
                yield List.of(ValueType.f32(type(0).rows(), columns(0) / columns(1)));
            }
            case Op.TopKLogProb topK -> topK(topK.k());
            case Op.ArgMax argMax -> {
                f32(1);
                yield List.of(ValueType.i32(type(0).rows(), 1));
            }
        };
    }

    private List<ValueType> concat(int groups) {
        require(inputs.size() >= 2, "needs two or more inputs");
        f32(inputs.size());
        int sum = 0;
        for (Value input : inputs) {
            require(groups >= 1 && input.columns() % groups == 0, "columns are no multiple of the groups");
            require(input.type().rows() == type(0).rows(), "rows differ");
            sum = Math.addExact(sum, input.columns());
        }
        return List.of(ValueType.f32(type(0).rows(), sum));
    }

    private List<ValueType> columnsOf(Op.Columns part) {
        f32(1);
        require(part.groups() >= 1 && columns(0) % part.groups() == 0, "columns are no multiple of the groups");
        require(
                part.first() >= 0 && part.count() >= 1 && part.first() + part.count() <= columns(0) / part.groups(),
                "takes columns beyond a group");
        return List.of(ValueType.f32(type(0).rows(), part.groups() * part.count()));
    }

    private List<ValueType> matMul(Op.MatMul matMul) {
        f32(1);
        matrix(matMul.weight(), columns(0));
        int out = Math.toIntExact(matMul.weight().rowCount());
        matMul.bias().ifPresent(bias -> vector(bias, out));
        return List.of(ValueType.f32(type(0).rows(), out));
    }

    private List<ValueType> attention(Op.Attention attention) {
        f32(3);
        StateSpec.Kv kv = slot(attention.slot(), StateSpec.Kv.class);
        require(
                attention.heads() >= 1 && attention.heads() % kv.heads() == 0,
                attention.heads() + " heads are no multiple of the slot's " + kv.heads());
        require(
                columns(0) == attention.heads() * kv.keyDim(),
                "query has no " + attention.heads() + " heads of " + kv.keyDim());
        keyAndValue(kv, 1);
        attention.sinks().ifPresent(sinks -> vector(sinks, attention.heads()));
        return List.of(ValueType.f32(type(0).rows(), attention.heads() * kv.valueDim()));
    }

    private void keyAndValue(StateSpec.Kv kv, int key) {
        require(
                columns(key) == kv.heads() * kv.keyDim() && type(key).rows() == RowSet.STEP,
                "key is not [step, " + kv.heads() + " x " + kv.keyDim() + "]");
        require(
                columns(key + 1) == kv.heads() * kv.valueDim() && type(key + 1).rows() == RowSet.STEP,
                "value is not [step, " + kv.heads() + " x " + kv.valueDim() + "]");
    }

    private List<ValueType> shortConv(Op.ShortConv conv) {
        f32(1);
        StateSpec.ConvWindow window = slot(conv.slot(), StateSpec.ConvWindow.class);
        require(columns(0) == window.channels() && type(0).rows() == RowSet.STEP, "input is not " + window);
        matrix(conv.kernel(), window.width());
        require(conv.kernel().rowCount() == window.channels(), "kernel is " + conv.kernel());
        conv.bias().ifPresent(bias -> vector(bias, window.channels()));
        return List.of(type(0));
    }

    private List<ValueType> deltaRule(Op.GatedDeltaRule rule) {
        f32(5);
        StateSpec.DeltaMatrix matrix = slot(rule.slot(), StateSpec.DeltaMatrix.class);
        int keyHeads = rule.keyHeads();
        require(keyHeads >= 1 && matrix.heads() % keyHeads == 0, "heads are no multiple of the key heads");
        int keyColumns = keyHeads * matrix.keyDim();
        require(columns(0) == keyColumns && columns(1) == keyColumns, "q or k is not " + keyColumns + " wide");
        require(columns(2) == matrix.heads() * matrix.valueDim(), "v is not " + matrix);
        require(
                columns(3) == matrix.heads() && columns(4) == matrix.heads(),
                "a or b is not " + matrix.heads() + " wide");
        for (Value input : inputs) {
            require(input.type().rows() == RowSet.STEP, "needs rows of the whole step");
        }
        vector(rule.decay(), matrix.heads());
        vector(rule.timeBias(), matrix.heads());
        return List.of(type(2));
    }

    private List<ValueType> moeRoute(Op.MoeRoute route) {
        f32(1);
        require(columns(0) == route.experts(), "logits are not " + route.experts() + " wide");
        require(route.used() >= 1 && route.used() <= route.experts(), "uses " + route.used() + " experts");
        route.selectionBias().ifPresent(bias -> vector(bias, route.experts()));
        route.groups().ifPresent(groups -> {
            int used = groups.used();
            require(groups.count() >= 1 && used >= 1 && used <= groups.count(), "cannot keep " + groups);
            require(route.experts() % groups.count() == 0, "experts are no multiple of the groups");
            require(route.used() <= route.experts() / groups.count() * used, "the groups hold too few experts");
        });
        RowSet rows = type(0).rows();
        return List.of(ValueType.i32(rows, route.used()), ValueType.f32(rows, route.used()));
    }

    private List<ValueType> moeMatMul(Op.MoeMatMul matMul) {
        arity(2);
        WeightRef experts = matMul.experts();
        require(experts.shape().size() == 3 && experts.slice().isEmpty(), "weight is " + experts);
        int used = columns(1);
        require(type(1).type() == DType.I32, "ids are not i32");
        int in = experts.columns();
        require(columns(0) == in || columns(0) == used * in, "weight is " + experts);
        int out = Math.toIntExact(experts.shape().get(1));
        matMul.bias()
                .ifPresent(bias -> require(
                        bias.shape().equals(List.of(experts.shape().getFirst(), (long) out)), "bias is " + bias));
        return List.of(ValueType.f32(type(0).rows(), Math.multiplyExact(used, out)));
    }

    private List<ValueType> topK(int k) {
        require(inputs.size() == 1 || inputs.size() == 2, "has " + inputs.size() + " inputs");
        f32(inputs.size());
        require(inputs.size() == 1 || columns(1) == 1, "inverse temperature is not one column");
        require(k >= 1 && k <= columns(0), "k = " + k);
        return List.of(ValueType.i32(type(0).rows(), k), ValueType.f32(type(0).rows(), k));
    }

    private List<ValueType> elementWise(boolean firstMayBroadcast, boolean secondMayBroadcast) {
        f32(2);
        int a = columns(0);
        int b = columns(1);
        require(a == b || (firstMayBroadcast && a == 1) || (secondMayBroadcast && b == 1), "columns differ");
        require(type(0).rows() == type(1).rows(), "rows differ");
        return List.of(ValueType.f32(type(0).rows(), Math.max(a, b)));
    }

    private List<ValueType> grouped(int groupSize) {
        f32(1);
        require(groupSize >= 1 && columns(0) % groupSize == 0, "columns are no multiple of " + groupSize);
        return List.of(type(0));
    }

    private <T extends StateSpec> T slot(String name, Class<T> kind) {
        StateSpec spec = states.get(name);
        if (!kind.isInstance(spec)) {
            throw fail("state " + name + " is " + (spec == null ? "not declared" : spec));
        }
        return kind.cast(spec);
    }

    private void matrix(WeightRef weight, int columns) {
        require(weight.columns() == columns && weight.shape().size() == 2, "weight is " + weight);
    }

    private void vector(WeightRef weight, int size) {
        require(weight.columns() == size && weight.rowCount() == 1, "vector of " + size + " expected, is " + weight);
    }

    private void f32(int count) {
        arity(count);
        for (Value input : inputs) {
            require(input.type().type() == DType.F32, "takes f32");
        }
    }

    private void arity(int count) {
        require(inputs.size() == count, "takes " + count + " inputs");
    }

    private ValueType type(int input) {
        return inputs.get(input).type();
    }

    private int columns(int input) {
        return inputs.get(input).columns();
    }

    private void require(boolean holds, String what) {
        if (!holds) {
            throw fail(what);
        }
    }

    private IllegalArgumentException fail(String what) {
        return new IllegalArgumentException(label + ": " + op.name() + " of "
                + inputs.stream().map(Value::type).toList() + ": " + what);
    }
}
