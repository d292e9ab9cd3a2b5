package dev.tandem.runtime.sampling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;

class SamplingOptionsTests {
    private static void assertRefused(String message, UnaryOperator<SamplingOptions.Builder> change) {
        SamplingOptions.Builder builder = change.apply(SamplingOptions.builder());
        UsageException refusal = assertThrows(UsageException.class, builder::build);
        assertEquals(message, refusal.getMessage());
        assertEquals(ErrorCode.BAD_ARGUMENT, refusal.code());
    }

    @Test
    void refusesValuesOutsideTheirRangeByTheNameOfTheFlag() {
        assertRefused("--temp -1.0 is not a number from 0 up", b -> b.temperature(-1f));
        assertRefused("--temp NaN is not a number from 0 up", b -> b.temperature(Float.NaN));
        assertRefused("--temp Infinity is not a number from 0 up", b -> b.temperature(Float.POSITIVE_INFINITY));
        assertRefused("--top-k -1 is not 0 or more", b -> b.topK(-1));
        assertRefused("--top-p 1.5 is not in 0..1", b -> b.topP(1.5f));
        assertRefused("--top-p NaN is not in 0..1", b -> b.topP(Float.NaN));
        assertRefused("--min-p -0.1 is not in 0..1", b -> b.minP(-0.1f));
        assertRefused("--repeat-penalty 0.0 is not above 0", b -> b.repeatPenalty(0f));
        assertRefused("--repeat-last-n -2 is not -1 or more", b -> b.repeatLastN(-2));
        assertRefused("--presence-penalty NaN is not finite", b -> b.presencePenalty(Float.NaN));
        assertRefused("--frequency-penalty -Infinity is not finite", b -> b.frequencyPenalty(Float.NEGATIVE_INFINITY));
    }

    @Test
    void refusesABiasThatIsNoBias() {
        assertRefused("--logit-bias: token -1 is not 0 or more", b -> b.logitBias(Map.of(-1, 1f)));
        assertRefused(
                "--logit-bias: the bias Infinity of token 5 is not finite or -inf",
                b -> b.logitBias(Map.of(5, Float.POSITIVE_INFINITY)));
        assertRefused(
                "--logit-bias: the bias NaN of token 5 is not finite or -inf", b -> b.logitBias(Map.of(5, Float.NaN)));
    }

    @Test
    void acceptsTheEndsOfEveryRange() {
        SamplingOptions options = SamplingOptions.builder()
                .temperature(0f)
                .topK(0)
                .topP(0f)
                .minP(1f)
                .repeatPenalty(Float.MIN_VALUE)
                .repeatLastN(SamplingOptions.WHOLE_HISTORY)
                .logitBias(Map.of(0, Float.NEGATIVE_INFINITY))
                .seed(Long.MIN_VALUE)
                .build();
        assertEquals(options, options.toBuilder().build());
    }

    @Test
    void defaultsAreGreedy() {
        assertTrue(SamplingOptions.DEFAULTS.isGreedy());
        assertFalse(SamplingOptions.builder().temperature(0.1f).build().isGreedy());
        assertEquals(SamplingOptions.DEFAULTS, SamplingOptions.builder().build());
    }

    @Test
    void laterChangesOfTheMapDoNotReachTheOptions() {
        Map<Integer, Float> bias = new HashMap<>(Map.of(1, 2f));
        SamplingOptions options = SamplingOptions.builder().logitBias(bias).build();
        bias.clear();
        assertEquals(Map.of(1, 2f), options.logitBias());
    }
}
