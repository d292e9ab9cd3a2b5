package dev.tandem.cli;

import dev.tandem.runtime.Session;
import dev.tandem.runtime.decode.GenerationListener;
import dev.tandem.runtime.decode.GenerationRequest;
import dev.tandem.runtime.decode.GenerationResult;
import dev.tandem.runtime.decode.StopReason;
import dev.tandem.runtime.sampling.SamplingOptions;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.InferenceException;
import dev.tandem.spi.UsageException;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Timed generations, each in a session of its own.
 *
 * @param tokens generated in each, end tokens ignored
 * @param sampling how tokens are chosen
 * @param cancelled asked at each token
 */
record BenchRuns(int tokens, SamplingOptions sampling, BooleanSupplier cancelled) {
    /**
     * Generates once.
     *
     * @throws InferenceException where it was interrupted
     */
    GenerationResult run(Supplier<Session> sessions, int[] prompt) {
        try (Session session = sessions.get()) {
            GenerationRequest request =
                    new GenerationRequest(prompt, tokens, sampling, List.of(), true, true, cancelled);
            GenerationResult result = session.generate(request, GenerationListener.NONE);
            if (result.stopReason() == StopReason.CANCELLED) {
                throw new UsageException(ErrorCode.CANCELLED, "the benchmark was interrupted");
            }
            return result;
        }
    }

    /** A prompt of some length that means nothing, the same each time. */
    static int[] meaningless(int length, int vocabulary) {
        int[] prompt = new int[length];
        for (int i = 0; i < length; i++) {
            prompt[i] = (int) ((i * 2_654_435_761L >>> 8) % vocabulary);
        }
        return prompt;
    }
}
