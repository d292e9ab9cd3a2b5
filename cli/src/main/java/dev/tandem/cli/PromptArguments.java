package dev.tandem.cli;

import dev.tandem.runtime.tokenizer.EncodeOptions;
import dev.tandem.runtime.tokenizer.Tokenizer;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** The prompt: an argument, a file or standard input. */
final class PromptArguments {
    @Parameters(
            arity = "0..1",
            paramLabel = "PROMPT",
            description =
                    "The text to go on from, taken as it is; - is standard input. Without it, and without --file, it"
                            + " is read from standard input.")
    @Nullable
    String prompt;

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description = "Read the prompt from a file; - is standard input. A last line break belongs to the prompt.")
    @Nullable
    Path file;

    @Option(
            names = "--no-special",
            description = "Take special tokens in the prompt, such as <|im_start|>, as plain text.")
    boolean noSpecial;

    /** Whether there is none on the command line. */
    boolean isAbsent() {
        return prompt == null && file == null;
    }

    /**
     * Reads the prompt.
     *
     * @throws UsageException where there is none, there are two, or it cannot be read
     */
    String read(Console console) {
        return TextInput.ofArguments(prompt, file, "prompt", console);
    }

    /**
     * The prompt's tokens.
     *
     * @throws UsageException where there are none
     */
    int[] encode(String text, Tokenizer tokenizer) {
        int[] ids = tokenizer.encode(text, new EncodeOptions(!noSpecial, true));
        if (ids.length == 0) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT, "the prompt is empty", "Give a prompt of at least one token.");
        }
        return ids;
    }
}
