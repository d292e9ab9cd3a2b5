package dev.tandem.runtime.sampling;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.util.List;

/**
 * Penalties for tokens that would lengthen a repetition.
 *
 * @param multiplier penalty of a token that goes on with a repetition of the allowed length; 0 is off
 * @param base factor of the penalty for each further token of the repetition, at least 1
 * @param allowedLength shortest repetition that is penalised, in tokens, at least 1
 * @param lastN how many of the last ids are searched; 0 none, −1 all
 * @param sequenceBreakers texts at which a repetition ends, none empty
 */
public record DryOptions(float multiplier, float base, int allowedLength, int lastN, List<String> sequenceBreakers) {
    /** Texts at which a repetition ends where none are named: line break, colon, quotation mark, asterisk. */
    public static final List<String> DEFAULT_BREAKERS = List.of("\n", ":", "\"", "*");
    /** Off, with the usual numbers. */
    public static final DryOptions OFF = new DryOptions(0f, 1.75f, 2, SamplingOptions.WHOLE_HISTORY, DEFAULT_BREAKERS);

    /**
     * Validates every option and copies the list.
     *
     * @throws UsageException where one is out of its range
     */
    public DryOptions {
        SamplingOptions.require(
                multiplier >= 0f && Float.isFinite(multiplier), "--dry-multiplier", multiplier, "a number from 0 up");
        SamplingOptions.require(base >= 1f && Float.isFinite(base), "--dry-base", base, "a number from 1 up");
        SamplingOptions.require(allowedLength >= 1, "--dry-allowed-length", allowedLength, "1 or more");
        SamplingOptions.require(lastN >= SamplingOptions.WHOLE_HISTORY, "--dry-penalty-last-n", lastN, "-1 or more");
        sequenceBreakers = List.copyOf(sequenceBreakers);
        if (sequenceBreakers.contains("")) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    "--dry-sequence-breaker is empty",
                    "Give at least one character, or 'none' for no breakers.");
        }
    }

    boolean isOn() {
        return multiplier > 0f && lastN != 0;
    }
}
