package dev.tandem.runtime.sampling;

import java.util.Map;

/** Adds to the logits of given ids: logit + bias; −∞ bans an id. Comes before any stage that removes candidates. */
final class LogitBias implements SamplerStage {
    private final int[] ids;
    private final float[] biases;

    LogitBias(Map<Integer, Float> biasById) {
        ids = biasById.keySet().stream().mapToInt(Integer::intValue).sorted().toArray();
        biases = new float[ids.length];
        for (int i = 0; i < ids.length; i++) {
            biases[i] = biasById.getOrDefault(ids[i], 0f);
        }
    }

    @Override
    public void apply(Candidates candidates, TokenHistory history, long position) {
        for (int i = 0; i < ids.length; i++) {
            candidates.setLogit(ids[i], candidates.logit(ids[i]) + biases[i]);
        }
    }
}
