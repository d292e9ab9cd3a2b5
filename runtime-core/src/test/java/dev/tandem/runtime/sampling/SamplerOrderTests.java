package dev.tandem.runtime.sampling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.spi.UsageException;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SamplerOrderTests {
    private static SamplingOptions.Builder order(String text) {
        return SamplingOptions.builder()
                .temperature(1f)
                .topK(0)
                .topP(1f)
                .minP(0f)
                .samplers(SamplerKind.parse(text));
    }

    private static Set<Integer> drawn(SamplingOptions options, TokenHistory history, float... row) {
        Sampler sampler = new Sampler(options);
        Set<Integer> ids = new TreeSet<>();
        for (int position = 0; position < 500; position++) {
            ids.add(sampler.sample(row, 0, row.length, history, position));
        }
        return ids;
    }

    @Test
    void theDefaultOrderIsTheOneThatIsStated() {
        assertEquals(
                "penalties;dry;top_n_sigma;top_k;typ_p;top_p;min_p;xtc;temperature",
                SamplerKind.list(SamplingOptions.DEFAULTS.samplers()));
    }

    @Test
    void anOrderIsReadAsItIsWritten() {
        assertEquals(
                List.of(SamplerKind.TEMPERATURE, SamplerKind.TOP_K, SamplerKind.DRY),
                SamplerKind.parse("temperature; top-k;dry"));
        assertEquals(SamplerKind.DEFAULT_ORDER, SamplerKind.parse(SamplerKind.list(SamplerKind.DEFAULT_ORDER)));
        assertEquals(List.of(), SamplerKind.parse(""));
    }

    @Test
    void unknownAndRepeatedNamesAreRefused() {
        UsageException unknown = assertThrows(UsageException.class, () -> SamplerKind.parse("top_k;tail"));
        assertEquals("--samplers: 'tail' is no sampler", unknown.getMessage());
        UsageException twice = assertThrows(UsageException.class, () -> SamplerKind.parse("top_k;dry;top-k"));
        assertEquals("--samplers names top_k twice", twice.getMessage());
        assertThrows(UsageException.class, () -> SamplerKind.parse("top_k;"));
    }

    @Test
    void temperatureBeforeTopPChangesWhatItKeeps() {
        // Probabilities 0.64, 0.24, 0.09, 0.03; at temperature 50 nearly equal.
        float[] row = {2f, 1f, 0f, -1f};
        SamplingOptions last =
                order("top_p;temperature").temperature(50f).topP(0.8f).build();
        SamplingOptions first =
                order("temperature;top_p").temperature(50f).topP(0.8f).build();
        assertEquals(Set.of(0, 1), drawn(last, TokenHistory.EMPTY, row));
        assertEquals(Set.of(0, 1, 2, 3), drawn(first, TokenHistory.EMPTY, row));
    }

    @Test
    void penaltiesBehindACutSeeTheIdsThatAreLeft() {
        float[] row = {1f, 4f, 3f, 2f};
        TokenHistory history = TokenHistory.of(new int[] {1}, 1);
        SamplingOptions behind =
                order("top_k;penalties;top_p").topK(2).presencePenalty(100f).build();
        SamplingOptions before =
                order("penalties;top_k").topK(1).presencePenalty(100f).build();
        assertEquals(Set.of(2), drawn(behind, history, row));
        assertEquals(Set.of(2), drawn(before, history, row));
        SamplingOptions cutFirst =
                order("top_k;penalties").topK(1).presencePenalty(100f).build();
        assertEquals(Set.of(1), drawn(cutFirst, history, row));
    }

    @Test
    void aSamplerThatIsNotNamedHasNoEffect() {
        float[] row = {1f, 1.5f, 1.2f};
        SamplingOptions none = order("")
                .topK(1)
                .topP(0f)
                .minP(1f)
                .topNSigma(0.01f)
                .typicalP(0f)
                .xtc(new XtcOptions(1f, 0.1f))
                .build();
        assertEquals(Set.of(0, 1, 2), drawn(none, TokenHistory.EMPTY, row));
    }

    @Test
    void atTemperatureZeroCutsAndOrderHaveNoEffect() {
        float[] row = {1f, 4f, 3f};
        SamplingOptions greedy = order("xtc;top_k;penalties")
                .temperature(0f)
                .topK(1)
                .xtc(new XtcOptions(1f, 0f))
                .presencePenalty(100f)
                .mirostat(new MirostatOptions(2, 5f, 0.1f))
                .build();
        assertEquals(Set.of(1), drawn(greedy, TokenHistory.EMPTY, row));
        assertEquals(Set.of(2), drawn(greedy, TokenHistory.of(new int[] {1}, 1), row));
    }
}
