package dev.tandem.testkit.contract;

import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Op.MoeRoute.Groups;
import dev.tandem.spi.graph.Op.MoeRoute.Scoring;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Ops that rank, with and without equal values, and the sum over experts. */
final class RankCases {
    private final List<OpCase> cases = new ArrayList<>();

    private RankCases() {}

    static List<OpCase> all() {
        RankCases all = new RankCases();
        for (String input : List.of("x", Feed.TIES)) {
            for (int n : new int[] {1, 33, 257}) {
                all.rank(input, n);
            }
            all.route(input);
        }
        all.cases.add(
                new CaseBuilder("MoeCombine").input("e", 3 * 33).input("w", 3).op(new Op.MoeCombine()));
        return all.cases;
    }

    private void rank(String input, int n) {
        cases.add(new CaseBuilder("ArgMax " + input + " " + n).input(input, n).op(new Op.ArgMax()));
        int k = Math.min(n, 40);
        cases.add(new CaseBuilder("TopKLogProb " + input + " " + n)
                .input(input, n)
                .op(new Op.TopKLogProb(k)));
        cases.add(new CaseBuilder("TopKLogProb at a temperature " + input + " " + n)
                .input(input, n)
                .input("t", 1)
                .op(new Op.TopKLogProb(k)));
    }

    private void route(String input) {
        for (Scoring scoring : Scoring.values()) {
            for (boolean renormalise : new boolean[] {false, true}) {
                cases.add(new CaseBuilder("MoeRoute " + scoring + " " + input + " renormalised " + renormalise)
                        .input(input, 33)
                        .op(new Op.MoeRoute(33, 5, scoring, renormalise, 2.5f, Optional.empty(), Optional.empty())));
            }
        }
        CaseBuilder grouped = new CaseBuilder("MoeRoute in groups " + input);
        cases.add(grouped.input(input, 12)
                .op(new Op.MoeRoute(
                        12,
                        4,
                        Scoring.SIGMOID_THEN_TOP,
                        true,
                        1f,
                        grouped.vector("bias", 12),
                        Optional.of(new Groups(4, 2)))));
    }
}
