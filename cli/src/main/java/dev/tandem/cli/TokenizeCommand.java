package dev.tandem.cli;

import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.tokenizer.EncodeOptions;
import dev.tandem.runtime.tokenizer.Encoding;
import dev.tandem.runtime.tokenizer.Tokenizer;
import dev.tandem.runtime.tokenizer.Tokenizers;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.TypeConversionException;

/** {@code tandem tokenize}: text to tokens, or tokens to text. */
@Command(
        name = "tokenize",
        abbreviateSynopsis = true,
        sortOptions = false,
        header = "Turn text into tokens, or tokens into text.",
        description = {
            "%nReads the header of the model file only. The table shows each token's id, the bytes of the UTF-8 text that"
                    + " it stands for (from, to), the bytes that it writes, and how the vocabulary spells it.%n"
        },
        footer = {
            "%nExamples:",
            "  tandem tokenize \"public static\"",
            "  tandem tokenize -m model.gguf -f text.txt --count",
            "  tandem tokenize --ids 785,3974"
        })
final class TokenizeCommand implements Callable<Integer> {
    private final Context context;

    @Parameters(
            arity = "0..1",
            paramLabel = "TEXT",
            description =
                    "The text, taken as it is; - is standard input. Without it, and without --file and --ids, it is"
                            + " read from standard input.")
    @Nullable
    String text;

    @Option(
            names = {"-f", "--file"},
            paramLabel = "FILE",
            description = "Read the text from a file; - is standard input.")
    @Nullable
    Path file;

    @Option(names = "--ids", paramLabel = "ID,ID,...", description = "Write the text of these tokens instead.")
    @Nullable
    String ids;

    @Mixin
    ModelChoice model = new ModelChoice();

    @Option(
            names = "--no-special",
            description = "Take special tokens in the text, such as <|im_start|>, as plain text; with --ids, leave them"
                    + " out.")
    boolean noSpecial;

    @Option(names = "--no-bos", description = "Add no begin-of-sequence and no end-of-sequence token.")
    boolean noBos;

    @Option(names = "--count", description = "Write the number of tokens only.")
    boolean count;

    @Option(names = "--json", description = "Write one JSON object, with offsets in bytes and in characters.")
    boolean json;

    @Mixin
    CommonOptions help = new CommonOptions();

    TokenizeCommand(Context context) {
        this.context = context;
    }

    @Override
    public Integer call() {
        String listed = ids;
        if (listed != null) {
            if (text != null || file != null) {
                throw new UsageException(
                        ErrorCode.BAD_ARGUMENT, "both a text and --ids are given", "Give one of the two.");
            }
            int[] tokens = parsed(listed);
            decode(tokens);
        } else {
            String input = TextInput.ofArguments(text, file, "text", context.console());
            // An argument may hold half a surrogate pair, which has no UTF-8 and so no offsets.
            encode(new String(input.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8));
        }
        return ExitCode.OK.number();
    }

    private void encode(String input) {
        Console console = context.console();
        Path path = path();
        Tokenizer tokenizer = tokenizer(path);
        Encoding encoding = tokenizer.encodeWithOffsets(input, new EncodeOptions(!noSpecial, !noBos, !noBos));
        TokenReport report = new TokenReport(tokenizer, input, encoding);
        if (json) {
            console.out(Json.print(report.json(path)));
        } else if (count) {
            console.outLine(Integer.toString(encoding.ids().length));
        } else {
            console.out(report.table(console.terminal().outColumns()));
            console.say(report.summary());
        }
    }

    private void decode(int[] tokens) {
        Console console = context.console();
        Path path = path();
        Tokenizer tokenizer = tokenizer(path);
        for (int id : tokens) {
            if (id < 0 || id >= tokenizer.vocabularySize()) {
                throw new UsageException(
                        ErrorCode.BAD_ARGUMENT,
                        "--ids: token " + id + " is not in the vocabulary",
                        "Give ids from 0 to " + (tokenizer.vocabularySize() - 1) + ".");
            }
        }
        String decoded = tokenizer.decode(tokens, !noSpecial);
        if (json) {
            console.out(Json.print(TokenReport.decodedJson(path, tokens, decoded)));
        } else if (count) {
            console.outLine(Integer.toString(tokens.length));
        } else {
            console.out(console.terminal().stdout() ? Text.printable(decoded) + "\n" : decoded);
        }
    }

    private Path path() {
        return model.file(context.installation());
    }

    private Tokenizer tokenizer(Path path) {
        try (GgufFile opened = GgufFile.open(path)) {
            Tokenizer tokenizer = Tokenizers.from(opened);
            tokenizer.notes().forEach(context.console()::warn);
            return tokenizer;
        }
    }

    /** Numbers between commas or spaces, perhaps in brackets, as lists of ids are printed everywhere. */
    private static int[] parsed(String list) {
        String inner = list.strip().replaceFirst("^\\[(.*)]$", "$1").strip();
        if (inner.isEmpty()) {
            return new int[0];
        }
        try {
            return Arrays.stream(inner.split("\\s*,\\s*|\\s+"))
                    .mapToInt(Values::integer)
                    .toArray();
        } catch (TypeConversionException e) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT, "--ids: " + e.getMessage(), "Give ids such as --ids 1,2,3.", e);
        }
    }
}
