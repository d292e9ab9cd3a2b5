package dev.tandem.runtime.sampling;

import dev.tandem.spi.numeric.Functions;

/**
 * Multiplies the logits by 1 / max(0.001, T).
 *
 * <p>T is the temperature, or with a range r: low + (high − low) · h^exponent, low = max(0, temperature − r),
 * high = temperature + r, h = entropy / ln(number of candidates), all f32 but the entropy's mean, which is f64; the power
 * is exp(exponent · ln h). (Zhu and others, "Hot or Cold? Adaptive Temperature Sampling for Code Generation with Large
 * Language Models", 2024, had the idea of a temperature that moves.)
 */
final class Temperature implements SamplerStage {
    /** Below this the temperature counts as this. */
    private static final float LOWEST = 1e-3f;

    private final float temperature;
    private final DynamicTemperature dynamic;

    Temperature(float temperature, DynamicTemperature dynamic) {
        this.temperature = temperature;
        this.dynamic = dynamic;
    }

    @Override
    public void apply(Candidates candidates, TokenHistory history, long position) {
        float now = dynamic.isOn() && candidates.size() > 1 ? moved(candidates) : temperature;
        candidates.scale(1f / Math.max(LOWEST, now));
    }

    private float moved(Candidates candidates) {
        float total = candidates.weigh();
        float entropy = Functions.log(total) + (float) candidates.meanDistance(total);
        float share = Math.clamp(entropy / Functions.log(candidates.size()), 0f, 1f);
        float low = Math.max(0f, temperature - dynamic.range());
        float high = temperature + dynamic.range();
        return low + (high - low) * Functions.exp(dynamic.exponent() * Functions.log(share));
    }
}
