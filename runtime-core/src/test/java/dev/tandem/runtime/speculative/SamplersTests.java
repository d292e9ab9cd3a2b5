package dev.tandem.runtime.speculative;

import static dev.tandem.runtime.speculative.Speculating.OPTIONS;
import static dev.tandem.runtime.speculative.Speculating.request;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.decode.DraftStatistics;
import dev.tandem.runtime.sampling.DryOptions;
import dev.tandem.runtime.sampling.DynamicTemperature;
import dev.tandem.runtime.sampling.MirostatOptions;
import dev.tandem.runtime.sampling.SamplerKind;
import dev.tandem.runtime.sampling.SamplingOptions;
import dev.tandem.runtime.sampling.XtcOptions;
import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.testkit.draft.RandomDrafts;
import dev.tandem.testkit.draft.ReplayDrafts;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** Every sampler gives the tokens of plain decoding, however many guesses come true. */
final class SamplersTests {
    private static final int TOKENS = 40;

    private static SamplingOptions.Builder warm() {
        return SamplingOptions.builder().temperature(0.9f).topK(0).minP(0f).seed(5);
    }

    private static Map<String, SamplingOptions> samplers() {
        Map<String, SamplingOptions> options = new TreeMap<>();
        options.put("top-n-sigma", warm().topNSigma(1.5f).build());
        options.put("typical", warm().typicalP(0.4f).build());
        options.put("xtc", warm().xtc(new XtcOptions(0.5f, 0.005f)).build());
        options.put(
                "dry",
                SamplingOptions.builder()
                        .dry(new DryOptions(3f, 1.75f, 1, -1, List.of("\n")))
                        .build());
        options.put(
                "mirostat", warm().mirostat(new MirostatOptions(2, 3f, 0.3f)).build());
        options.put(
                "dynamic temperature",
                warm().dynamicTemperature(new DynamicTemperature(0.8f, 1.5f)).build());
        options.put(
                "another order",
                warm().samplers(SamplerKind.parse("temperature;xtc;typ_p;penalties;dry"))
                        .typicalP(0.9f)
                        .xtc(new XtcOptions(0.5f, 0.001f))
                        .frequencyPenalty(0.5f)
                        .dry(new DryOptions(3f, 1.75f, 1, -1, List.of("\n")))
                        .build());
        return options;
    }

    @Test
    void noDrafterChangesTheOutputOfAnySampler() {
        try (Speculating s = new Speculating("qwen3")) {
            int[] uncut = s.run(request(TOKENS, warm().build()));
            int[] greedy = s.run(request(TOKENS, SamplingOptions.DEFAULTS));
            samplers().forEach((name, sampling) -> {
                int[] run = s.run(request(TOKENS + 10, sampling));
                int[] off = Arrays.copyOf(run, uncut.length);
                assertFalse(Arrays.equals(sampling.isGreedy() ? greedy : uncut, off), name + " changes no token");
                for (Shape shape : Shape.values()) {
                    String what = name + ", " + shape;
                    s.same(new RandomDrafts(3, s.vocabulary(), shape), OPTIONS, request(TOKENS, sampling), what);
                    ReplayDrafts partly = new ReplayDrafts(run, s.vocabulary(), shape, 0.3, 12);
                    DraftStatistics did = s.same(partly, OPTIONS, request(TOKENS, sampling), what);
                    assertTrue(did.accepted() > 5 && did.accepted() < did.drafted(), what + ": " + did);
                }
            });
        }
    }
}
