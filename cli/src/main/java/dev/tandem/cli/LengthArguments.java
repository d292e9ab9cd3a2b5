package dev.tandem.cli;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** When to stop. */
final class LengthArguments {
    @Option(
            names = {"-n", "--max-tokens"},
            paramLabel = "N",
            description =
                    "Most tokens to generate; -1 for as many as the context holds. Default: 256, and -1 in a chat.")
    @Nullable
    Integer maxTokens;

    @Option(
            names = "--stop",
            paramLabel = "TEXT",
            description = "End before this text, taken as it is. May be given several times.")
    List<String> stops = new ArrayList<>();

    /**
     * Most tokens.
     *
     * @param otherwise where nothing is said
     */
    int maxTokens(int otherwise) {
        Integer given = maxTokens;
        return given == null ? otherwise : given;
    }

    /**
     * Checks both.
     *
     * @throws UsageException where one cannot be used
     */
    void check() {
        if (maxTokens(0) < -1) {
            throw new UsageException(ErrorCode.BAD_ARGUMENT, "--max-tokens " + maxTokens + " is not -1 or more");
        }
        if (stops.contains("")) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT, "--stop is empty", "Give at least one character, or leave --stop out.");
        }
    }
}
