package dev.tandem.testkit.contract;

import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Op.Arithmetic;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.graph.WeightRef.RowSlice;
import dev.tandem.spi.model.DType;
import dev.tandem.spi.numeric.Dequantizer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Ops with matrices, for every type of weight. */
final class WeightCases {
    /** Tokens of feeds stay below this. */
    static final int VOCABULARY = 600;

    private final List<OpCase> cases = new ArrayList<>();

    private WeightCases() {}

    static List<OpCase> all() {
        WeightCases all = new WeightCases();
        int[][] sizes = {{1, 1}, {31, 3}, {33, 65}, {100, 7}, {257, 33}};
        for (int[] size : sizes) {
            all.matMul(DType.F32, size[0], size[1], Arithmetic.BY_PRECISION);
        }
        for (DType type : DType.values()) {
            if (Dequantizer.supports(type)) {
                all.types(type);
            }
        }
        all.matMul(DType.Q8_0, 96, 5, Arithmetic.REFERENCE);
        all.slices();
        return all.cases;
    }

    /** Cases that no backend need compute, since their weights have no f32 form. */
    static List<OpCase> unreadable() {
        WeightCases all = new WeightCases();
        all.matMul(DType.I8, 32, 3, Arithmetic.BY_PRECISION);
        all.matMul(DType.F64, 32, 3, Arithmetic.BY_PRECISION);
        return all.cases;
    }

    private void types(DType type) {
        // Three or eleven blocks: fewer and more than a segment of the contract's sums, and never a whole number.
        int columns = type.blockElements() * (type.blockElements() < 256 ? 11 : 3);
        matMul(type, columns, 33, Arithmetic.BY_PRECISION);
        if (type.blockElements() < 64) {
            matMul(type, type.quantized() ? 32 : 7, 3, Arithmetic.BY_PRECISION);
        }
        CaseBuilder embed = new CaseBuilder("Embed " + type);
        cases.add(embed.op(new Op.Embed(embed.weight("table", type, VOCABULARY, type.blockElements()))));
        experts(type, columns);
    }

    private void experts(DType type, int columns) {
        CaseBuilder shared = new CaseBuilder("MoeMatMul " + type);
        WeightRef bias = shared.weight("bias", DType.F32, 5, 7);
        cases.add(shared.input("x", columns)
                .ids("ids", 3, 5)
                .op(new Op.MoeMatMul(shared.weight("w", type, 5, 7, columns), Optional.of(bias))));
        CaseBuilder own = new CaseBuilder("MoeMatMul own pieces " + type);
        cases.add(own.input("x", 3 * columns)
                .ids("ids", 3, 5)
                .op(new Op.MoeMatMul(own.weight("w", type, 5, 7, columns), Optional.empty())));
    }

    private void matMul(DType type, int in, int out, Arithmetic arithmetic) {
        CaseBuilder builder = new CaseBuilder("MatMul " + type + " " + in + " to " + out + " " + arithmetic);
        Optional<WeightRef> bias = out % 2 == 1 ? builder.vector("bias", out) : Optional.empty();
        cases.add(builder.input("x", in).op(new Op.MatMul(builder.weight("w", type, out, in), bias, arithmetic)));
    }

    private void slices() {
        for (DType type : List.of(DType.F32, DType.Q4_0, DType.Q6_K)) {
            CaseBuilder builder = new CaseBuilder("MatMul of some rows " + type);
            WeightRef some = builder.weight("w", type, 40, 256).rows(new RowSlice(3, 2, 7, 5));
            cases.add(builder.input("x", 256).op(new Op.MatMul(some, Optional.empty(), Arithmetic.BY_PRECISION)));
        }
    }
}
