package dev.tandem.runtime.decode;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.backend.cpu.scalar.ScalarKernels;
import dev.tandem.runtime.Golden;
import dev.tandem.runtime.ModelRunner;
import dev.tandem.runtime.decode.Target.Slice;
import dev.tandem.runtime.sampling.Sampler;
import dev.tandem.runtime.sampling.SamplingOptions;
import dev.tandem.runtime.sampling.TokenHistory;
import dev.tandem.runtime.state.Sequence;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.StepKind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Several sequences in one step: what continuous batching stands on. */
final class BatchTests {
    private static final Taps NO_TAPS = new Taps(0);

    private static final int VOCABULARY = 1024;

    /** One sequence with a sampler of its own and the logits that it has seen. */
    private static final class Member {
        private final Sequence sequence;
        private final Sampler sampler;
        private final List<Integer> tokens = new ArrayList<>();
        private final List<float[]> seen = new ArrayList<>();
        private int[] next;

        Member(Target target, int index) {
            this.sequence = target.newSequence();
            this.sampler = new Sampler(SamplingOptions.builder()
                    .temperature(index == 0 ? 0f : 0.9f)
                    .repeatPenalty(1f + 0.1f * index)
                    .seed(index)
                    .build());
            this.next = new Random(index).ints(3 + 11 * index, 0, VOCABULARY).toArray();
        }

        Slice slice() {
            return Slice.chain(sequence, next, new int[] {next.length - 1});
        }

        void accept(Target target, float[] logits, int row) {
            int[] path = new int[next.length];
            for (int i = 0; i < path.length; i++) {
                path[i] = i;
                tokens.add(next[i]);
            }
            target.commit(sequence, path);
            seen.add(Arrays.copyOfRange(logits, row * VOCABULARY, (row + 1) * VOCABULARY));
            int[] history = tokens.stream().mapToInt(Integer::intValue).toArray();
            int id = sampler.sample(
                    logits, row * VOCABULARY, VOCABULARY, TokenHistory.of(history, history.length), history.length);
            next = new int[] {id};
        }
    }

    private static List<Member> run(Target target, int from, int to, int steps) {
        List<Member> members = new ArrayList<>();
        for (int i = from; i < to; i++) {
            members.add(new Member(target, i));
        }
        float[] logits = new float[members.size() * VOCABULARY];
        for (int step = 0; step < steps; step++) {
            target.step(members.stream().map(Member::slice).toList(), NO_TAPS, logits);
            for (int i = 0; i < members.size(); i++) {
                members.get(i).accept(target, logits, i);
            }
        }
        members.forEach(member -> target.close(member.sequence));
        return members;
    }

    @ParameterizedTest
    @CsvSource({"qwen3,FAST", "qwen3moe,REFERENCE", "llama,FAST"})
    void aSequenceInABatchHasTheBitsOfTheSequenceAlone(String name, Precision precision) {
        try (ModelRunner runner =
                new ModelRunner(Golden.resource("tiny/" + name + ".gguf"), precision, new ScalarKernels(), 2)) {
            List<Member> together = run(runner.target(), 0, 4, 12);
            for (int i = 0; i < 4; i++) {
                Member alone = run(runner.target(), i, i + 1, 12).getFirst();
                assertEquals(alone.tokens, together.get(i).tokens);
                for (int step = 0; step < 12; step++) {
                    assertArrayEquals(alone.seen.get(step), together.get(i).seen.get(step), 0f);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({"qwen3,FAST", "qwen3moe,REFERENCE"})
    void aTreeBesideAChainChangesNeither(String name, Precision precision) {
        try (ModelRunner runner =
                new ModelRunner(Golden.resource("tiny/" + name + ".gguf"), precision, new ScalarKernels(), 2)) {
            Target target = runner.target();
            float[] alone = new float[5 * VOCABULARY];
            float[] both = new float[6 * VOCABULARY];
            Sequence first = target.newSequence();
            Sequence second = target.newSequence();
            target.run(first, new int[] {1, 2, 3}, new int[0], NO_TAPS, new float[0]);
            target.run(second, new int[] {9, 8, 7, 6}, new int[0], NO_TAPS, new float[0]);
            int[] parents = {-1, 0, 0, 1, 2};
            Slice tree =
                    new Slice(first, StepKind.VERIFY, new int[] {4, 5, 6, 7, 8}, parents, new int[] {0, 1, 2, 3, 4});
            target.step(List.of(tree), NO_TAPS, alone);
            target.rollback(first);
            Slice chain = Slice.chain(second, new int[] {5}, new int[] {0});
            target.step(List.of(tree, chain), NO_TAPS, both);
            assertArrayEquals(alone, Arrays.copyOf(both, alone.length), 0f);
            float[] single = new float[VOCABULARY];
            target.rollback(first);
            target.rollback(second);
            target.run(second, new int[] {5}, new int[] {0}, NO_TAPS, single);
            assertArrayEquals(single, Arrays.copyOfRange(both, alone.length, both.length), 0f);
        }
    }

    @ParameterizedTest
    @CsvSource({"qwen3,FAST"})
    void aStepThatFailsLeavesNoSequenceOpen(String name, Precision precision) {
        try (ModelRunner runner =
                new ModelRunner(Golden.resource("tiny/" + name + ".gguf"), precision, new ScalarKernels(), 1)) {
            Target target = runner.target();
            Sequence good = target.newSequence();
            Sequence bad = target.newSequence();
            List<Slice> slices = List.of(
                    Slice.chain(good, new int[] {1, 2}, new int[0]),
                    Slice.chain(bad, new int[] {VOCABULARY}, new int[0]));
            assertThrows(IllegalArgumentException.class, () -> target.step(slices, NO_TAPS, new float[0]));
            assertEquals(0, good.openRows());
            assertEquals(0, bad.openRows());
            assertEquals(0, good.committedRows());
            target.run(good, new int[] {1, 2}, new int[0], NO_TAPS, new float[0]);
            assertEquals(2, good.committedRows());
        }
    }
}
