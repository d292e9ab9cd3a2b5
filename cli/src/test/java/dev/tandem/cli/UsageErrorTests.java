package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class UsageErrorTests {
    static Stream<Arguments> wrongCommandLines() {
        return Stream.of(
                wrong("run --tmep 3 x", "unknown option '--tmep'; did you mean '--temp'?"),
                wrong("run --max-tok 3 x", "unknown option '--max-tok'; did you mean '--max-tokens'?"),
                wrong("run --tmep=3 x", "unknown option '--tmep'; did you mean '--temp'?"),
                wrong("run -z x", "unknown option '-z'"),
                wrong("rum x", "unknown command 'rum'; did you mean 'run'?"),
                wrong("doctr", "unknown command 'doctr'; did you mean 'doctor'?"),
                wrong("frobnicate", "unknown command 'frobnicate'"),
                wrong("--verison", "unknown option '--verison'; did you mean '--version'?"),
                wrong("run public static", "unexpected argument 'static'"),
                wrong("run --temp abc x", "invalid value for option '--temp': 'abc' is not a number"),
                wrong("run --temp nan x", "invalid value for option '--temp': 'nan' is not a number"),
                wrong("run --temp 0x1p3 x", "invalid value for option '--temp': '0x1p3' is not a number"),
                wrong("run --temp -1 x", "--temp -1.0 is not a number from 0 up"),
                wrong("run --temp inf x", "--temp Infinity is not a number from 0 up"),
                wrong("run --top-p 2 x", "--top-p 2.0 is not in 0..1"),
                wrong("run --min-p -0.1 x", "--min-p -0.1 is not in 0..1"),
                wrong("run --top-k -1 x", "--top-k -1 is not 0 or more"),
                wrong("run --repeat-penalty 0 x", "--repeat-penalty 0.0 is not above 0"),
                wrong("run --samplers top_k;tail x", "--samplers: 'tail' is no sampler"),
                wrong("run --samplers top_k;top_k x", "--samplers names top_k twice"),
                wrong("run --top-n-sigma inf x", "--top-n-sigma Infinity is not finite"),
                wrong("run --typical 1.1 x", "--typical 1.1 is not in 0..1"),
                wrong("run --xtc-probability 2 x", "--xtc-probability 2.0 is not in 0..1"),
                wrong("run --xtc-threshold -1 x", "--xtc-threshold -1.0 is not in 0..1"),
                wrong("run --dry-multiplier -1 x", "--dry-multiplier -1.0 is not a number from 0 up"),
                wrong("run --dry-base 0.5 x", "--dry-base 0.5 is not a number from 1 up"),
                wrong("run --dry-allowed-length 0 x", "--dry-allowed-length 0 is not 1 or more"),
                wrong("run --dry-penalty-last-n -2 x", "--dry-penalty-last-n -2 is not -1 or more"),
                wrong("run --dry-sequence-breaker= x", "--dry-sequence-breaker is empty"),
                wrong("run --dynatemp-range -1 x", "--dynatemp-range -1.0 is not a number from 0 up"),
                wrong("run --dynatemp-exp 0 x", "--dynatemp-exp 0.0 is not a number above 0"),
                wrong("run --mirostat 1 x", "--mirostat 1 is not 0 (off) or 2"),
                wrong("run --mirostat-ent 0 x", "--mirostat-ent 0.0 is not a number above 0"),
                wrong("run --mirostat-lr 0 x", "--mirostat-lr 0.0 is not a number above 0"),
                wrong("run --json --logprobs -1 x", "--logprobs -1 is not 0 or more"),
                wrong("run --logprobs 2 x", "--logprobs goes into JSON, but --json is not given"),
                wrong("run --threads -1 x", "--threads -1 is not 0 or more"),
                wrong("run --ctx -5 x", "--ctx -5 is not 0 or more"),
                wrong("run -n -2 x", "--max-tokens -2 is not -1 or more"),
                wrong("run -n 3.5 x", "invalid value for option '--max-tokens': '3.5' is not a whole number"),
                wrong("run -n 99999999999 x", "'99999999999' is not in -2147483648..2147483647"),
                wrong("run --seed 99999999999999999999 x", "'99999999999999999999' is not in"),
                wrong("run --precision exact x", "'exact' is not one of fast, reference"),
                wrong("run --kv q8_0 x", "'q8_0' is not one of f16, f32"),
                wrong("run --logit-bias 3 x", "should be in KEY=VALUE format but was 3"),
                wrong("run --logit-bias 3=inf x", "is not finite or -inf"),
                wrong("run --logit-bias -3=1 x", "--logit-bias: token -3 is not 0 or more"),
                wrong("run --stop= x", "--stop is empty"),
                wrong("run --temp 1 --temp 2 x", "option '--temp' (T) should be specified only once"),
                wrong("run --cuda x", "there is no backend 'cuda'"),
                wrong("run --rocm x", "there is no backend 'rocm'"),
                wrong("run --rocm --backend cpu x", "the options ask for different backends: cpu, rocm"),
                wrong("run --backend cpx x", "there is no backend 'cpx'; did you mean 'cpu'?"),
                wrong("bench --synthetic qwen3-0.6b", "no synthetic model qwen3-0.6b"),
                wrong("bench --synthetic qwen3-0.6b:q8_0 -m pom.xml", "pom.xml is there already"),
                wrong("run --device 7 x", "device '7' was asked for without a backend"),
                wrong("run --plugins /nowhere/at/all x", "--plugins /nowhere/at/all does not exist"),
                wrong("run -f /nowhere/at/all", "/nowhere/at/all does not exist"),
                wrong("run -f / x", "a prompt is given both as an argument and with --file"),
                wrong("run -f /", "/ is a directory, not a text file"),
                wrong("chat --think maybe -p x", "'maybe' is not one of on, off, auto"),
                wrong("chat --context-full no -p x", "'no' is not one of stop, shift, error"),
                wrong("chat -n -2 -p x", "--max-tokens -2 is not -1 or more"),
                wrong("chat --stop= -p x", "--stop is empty"),
                wrong("chat", "there is no message"),
                wrong("chat -f /nowhere/at/all -p x", "/nowhere/at/all does not exist"),
                wrong("chat --template /nowhere/at/all -p x", "/nowhere/at/all does not exist"),
                wrong("chat hello", "unexpected argument 'hello'"),
                wrong("doctor extra", "unexpected argument 'extra'"),
                wrong("run -- x -n 3", "'-n' stands behind '--', where nothing is an option"),
                wrong("run --json --echo x", "--echo puts the prompt before the text, but --json keeps the two apart"),
                wrong("run --draft foo x", "there is no draft strategy foo"),
                wrong("tokenize --ids 1;2", "--ids: '1;2' is not a whole number"),
                wrong("logits -k 0 x", "--top 0 is not 1 or more"),
                wrong("perplexity", "missing required option: '--file=FILE'"),
                wrong("inspect", "missing required parameter: 'FILE'"),
                wrong("inspect --ctx -1 x", "--ctx -1 is not 0 or more"),
                wrong("help frobnicate", "unknown subcommand 'frobnicate'"));
    }

    private static Arguments wrong(String commandLine, String message) {
        return Arguments.of(commandLine, message);
    }

    @ParameterizedTest
    @MethodSource("wrongCommandLines")
    void saysOnceWhatIsWrongAndWhatToDo(String commandLine, String message) {
        CliRun.Result result = CliRun.tandem(withTinyModel(commandLine));

        List<String> lines = result.messages();
        assertAll(
                () -> assertEquals(ExitCode.USAGE.number(), result.exitCode(), result.err()),
                () -> assertEquals("", result.out()),
                () -> assertEquals(2, lines.size(), result.err()),
                () -> assertTrue(lines.getFirst().startsWith("tandem: "), result.err()),
                () -> assertTrue(lines.getFirst().contains(message), result.err()),
                () -> assertTrue(lines.getLast().matches(" {4}[A-Z].*\\."), result.err()));
    }

    /** A command line that goes wrong late loads a model; the small one keeps that short. */
    private static String[] withTinyModel(String commandLine) {
        String[] args = commandLine.split(" ");
        boolean loads = args[0].equals("run") && !commandLine.contains("-m ");
        return loads
                ? Stream.concat(
                                Stream.of("run", "-m", CliRun.tinyModel()),
                                Arrays.stream(args).skip(1))
                        .toArray(String[]::new)
                : args;
    }

    @Test
    void explainsAPromptThatLooksLikeAnOption() {
        CliRun.Result result = CliRun.tandem("run", "-x marks the spot");

        assertTrue(result.err().contains("A prompt that begins with a dash goes after '--'."), result.err());
    }

    @Test
    void hintsFitTheCommand() {
        assertTrue(CliRun.tandem("run", "a", "b").err().contains("Put a prompt of several words in quotes."));
        assertTrue(CliRun.tandem("chat", "a").err().contains("Give a message with -p."));
        for (String[] args : new String[][] {{"doctor", "a"}, {"doctor", "-z"}, {"chat", "-o", "x"}, {"chat", "a"}}) {
            assertFalse(CliRun.tandem(args).err().contains("prompt "), String.join(" ", args));
        }
    }

    @Test
    void asksForAPromptWhereNothingIsPiped() {
        CliRun.Result result = new CliRun().on(CliRun.terminalOf(200)).run("run");

        assertEquals(ExitCode.USAGE.number(), result.exitCode());
        assertTrue(result.err().startsWith("tandem: there is no prompt\n"), result.err());
    }

    @Test
    void showsHelpWhereNoCommandIsGiven() {
        CliRun.Result result = CliRun.tandem();

        assertEquals(ExitCode.USAGE.number(), result.exitCode());
        assertEquals("", result.out());
        assertTrue(result.err().contains("Commands:"), result.err());
    }
}
