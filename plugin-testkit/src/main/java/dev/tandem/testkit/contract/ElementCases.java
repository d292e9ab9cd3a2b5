package dev.tandem.testkit.contract;

import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Op.Rope.Pairing;
import dev.tandem.spi.graph.RopeSpec;
import dev.tandem.spi.graph.RopeSpec.Scaling;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Ops on elements, norms and rope. */
final class ElementCases {
    /** One element, one more and one less than a vector, and no multiple of anything. */
    private static final int[] SIZES = {1, 5, 31, 33, 100, 257};

    private final List<OpCase> cases = new ArrayList<>();

    private ElementCases() {}

    static List<OpCase> all() {
        ElementCases all = new ElementCases();
        for (int n : SIZES) {
            all.elements(n);
            all.norms(n);
            all.broadcasts(n);
        }
        all.moves();
        all.ropes();
        return all.cases;
    }

    private static CaseBuilder of(String op, Object... sizes) {
        return new CaseBuilder(op + List.of(sizes));
    }

    private void elements(int n) {
        cases.add(of("Add", n).input("a", n).input("b", n).op(new Op.Add()));
        cases.add(of("Multiply", n).input("a", n).input("b", n).op(new Op.Multiply()));
        cases.add(of("Scale", n).input("x", n).op(new Op.Scale(0.3f)));
        cases.add(of("ScaleByPosition", n).input("x", n).op(new Op.ScaleByPosition(0.7, 3)));
        cases.add(of("SoftCap", n).input("x", n).op(new Op.SoftCap(1.5f)));
        cases.add(of("ClampedGate", n).input("a", n).input("b", n).op(new Op.ClampedGate(1.702f, 0.9f)));
        for (Activation activation : Activation.values()) {
            cases.add(of("Gate", activation, n).input("a", n).input("b", n).op(new Op.Gate(activation)));
        }
    }

    private void broadcasts(int n) {
        cases.add(of("Multiply one", n).input("a", n).input("b", 1).op(new Op.Multiply()));
        cases.add(of("Gate one", n).input("a", 1).input("b", n).op(new Op.Gate(Activation.SIGMOID)));
    }

    private void norms(int n) {
        CaseBuilder rms = of("RmsNorm", n);
        cases.add(rms.input("x", n).op(new Op.RmsNorm(rms.vector("gain", n), n, 1e-5f)));
        cases.add(of("RmsNorm plain", n).input("x", n).op(new Op.RmsNorm(Optional.empty(), n, 1e-5f)));
        CaseBuilder heads = of("RmsNorm heads", n);
        cases.add(heads.input("x", 3 * n).op(new Op.RmsNorm(heads.vector("gain", n), n, 1e-6f)));
        cases.add(of("L2Norm", n).input("x", 2 * n).op(new Op.L2Norm(n, 1e-6f)));
        // Of one column nothing is left after the mean: the result is all rounding.
        if (n > 1) {
            CaseBuilder layer = of("LayerNorm", n);
            Optional<WeightRef> bias = layer.vector("bias", n);
            cases.add(layer.input("x", n).op(new Op.LayerNorm(layer.weight("gain", DType.F32, n), bias, 1e-5f)));
            CaseBuilder plain = of("LayerNorm plain", n);
            cases.add(plain.input("x", n)
                    .op(new Op.LayerNorm(plain.weight("gain", DType.F16, n), Optional.empty(), 1e-5f)));
        }
    }

    private void moves() {
        cases.add(of("SelectRows", 33).input("x", 33).op(new Op.SelectRows()));
        cases.add(of("SelectRows ids", 3).ids("x", 3, 1000).op(new Op.SelectRows()));
        cases.add(of("Concat", 1, 7, 33).input("a", 7).input("b", 33).op(new Op.Concat(1)));
        cases.add(of("Concat heads", 3, 2, 5)
                .input("a", 6)
                .input("b", 15)
                .input("c", 3)
                .op(new Op.Concat(3)));
        cases.add(of("Columns", 1, 33).input("x", 33).op(new Op.Columns(1, 32, 1)));
        cases.add(of("Columns heads", 3, 33).input("x", 33).op(new Op.Columns(3, 2, 7)));
    }

    private void ropes() {
        List<Scaling> scalings = List.of(
                new Scaling.None(),
                new Scaling.Linear(4),
                new Scaling.Yarn(4, 64, 32, 1, 1.1386, true),
                new Scaling.Divisors(List.of(1f, 1.5f, 3f, 8f, 8f), 1.25));
        for (Pairing pairing : Pairing.values()) {
            for (Scaling scaling : scalings) {
                RopeSpec spec = new RopeSpec(10_000, 10, scaling, List.of());
                String kind = scaling.getClass().getSimpleName();
                cases.add(of("Rope", pairing, kind).input("x", 3 * 17).op(new Op.Rope(pairing, spec, 17, 3)));
            }
        }
    }
}
