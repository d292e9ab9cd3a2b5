package dev.tandem.testkit.contract;

import dev.tandem.spi.graph.Activation;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Op.Attention.InStep;
import dev.tandem.spi.graph.Op.GatedDeltaRule.KeySharing;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.DType;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Ops with a memory. */
final class StateCases {
    private final List<OpCase> cases = new ArrayList<>();

    private StateCases() {}

    static List<OpCase> all() {
        StateCases all = new StateCases();
        for (DType type : List.of(DType.F32, DType.F16)) {
            for (int window : new int[] {0, 1, 20, 130}) {
                all.attention(type, window, 0f, window == 20, InStep.ANCESTORS);
            }
            all.attention(type, 0, 2f, true, InStep.ANCESTORS);
            all.attention(type, 0, 0f, false, InStep.BLOCK);
            all.cases.add(new CaseBuilder("KvAppend " + type)
                    .state(new StateSpec.Kv("kv", 2, 3, 5, type, 0))
                    .input("k", 6)
                    .input("v", 10)
                    .op(new Op.KvAppend("kv")));
        }
        all.selectedQueries();
        all.convolutions();
        all.deltaRules();
        return all.cases;
    }

    private void attention(DType type, int window, float cap, boolean sinks, InStep inStep) {
        CaseBuilder builder = new CaseBuilder("Attention " + type + " window " + window + " cap " + cap + " " + inStep);
        Optional<WeightRef> sink = sinks ? builder.vector("sinks", 6) : Optional.empty();
        cases.add(builder.state(new StateSpec.Kv("kv", 2, 7, 5, type, window))
                .input("q", 6 * 7)
                .input("k", 2 * 7)
                .input("v", 2 * 5)
                .after(125) // the step crosses the 128th position
                .op(new Op.Attention("kv", 6, 0.4f, cap, sink, inStep)));
    }

    private void selectedQueries() {
        cases.add(new CaseBuilder("Attention of selected rows")
                .state(new StateSpec.Kv("kv", 1, 33, 33, DType.F32, 0))
                .selected("q", 2 * 33)
                .input("k", 33)
                .input("v", 33)
                .op(new Op.Attention("kv", 2, 0.2f, 0f, Optional.empty(), InStep.ANCESTORS)));
    }

    private void convolutions() {
        for (int width : new int[] {2, 3, 4, 7}) {
            CaseBuilder builder = new CaseBuilder("ShortConv " + width);
            Optional<WeightRef> bias = width == 4 ? builder.vector("bias", 33) : Optional.empty();
            Optional<Activation> activation = width < 4 ? Optional.empty() : Optional.of(Activation.SILU);
            cases.add(builder.state(new StateSpec.ConvWindow("conv", 33, width))
                    .input("x", 33)
                    .op(new Op.ShortConv("conv", builder.weight("kernel", DType.F32, 33, width), bias, activation)));
        }
    }

    private void deltaRules() {
        for (KeySharing sharing : KeySharing.values()) {
            CaseBuilder builder = new CaseBuilder("GatedDeltaRule " + sharing);
            WeightRef decay = builder.values("decay", -0.5f, -1f, -0.1f, -2f);
            cases.add(builder.state(new StateSpec.DeltaMatrix("delta", 4, 3, 5))
                    .input("q", 2 * 3)
                    .input(Feed.SHORT, 2 * 3)
                    .input("v", 4 * 5)
                    .input("a", 4)
                    .input("b", 4)
                    .op(new Op.GatedDeltaRule("delta", 2, sharing, decay, builder.weight("time", DType.F32, 4))));
        }
    }
}
