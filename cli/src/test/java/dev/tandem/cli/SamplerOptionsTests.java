package dev.tandem.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.sampling.SamplerKind;
import java.util.Arrays;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

class SamplerOptionsTests {
    private static JsonNode run(String options) {
        String[] args = Stream.concat(
                        Stream.of("run", "-m", CliRun.tinyModel(), "-n", "16", "--ignore-eos", "--json", "hello"),
                        Stream.of(options.split(" ")))
                .toArray(String[]::new);
        CliRun.Result result = CliRun.tandem(args);
        assertEquals(0, result.exitCode(), result.err());
        return result.json();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--top-n-sigma 0.5",
                "--typical 0.1",
                "--xtc-probability 1 --xtc-threshold 0.001",
                "--mirostat 2 --mirostat-ent 0.5 --mirostat-lr 1",
                "--dynatemp-range 1.4 --dynatemp-exp 3",
                "--samplers temperature;typ_p --typical 0.5"
            })
    void everySamplerReachesTheEngine(String options) {
        String plain = "--temp 1.5 --top-k 0 --top-p 1 --min-p 0 --seed 3 ";
        assertNotEquals(run(plain.strip()).get("ids"), run(plain + options).get("ids"));
    }

    @Test
    void saysWhichOptionsHaveNoEffectWithoutATemperature() {
        String[] args = {"run", "-m", CliRun.tinyModel(), "-n", "1", "--samplers", "top_k", "--typical", "0.5", "x"};
        assertTrue(
                CliRun.tandem(args).err().contains("no effect of --samplers, --typical; --temp changes that"),
                CliRun.tandem(args).err());
        String[] warm = Arrays.copyOf(args, args.length + 2);
        warm[args.length] = "--temp";
        warm[args.length + 1] = "1";
        assertTrue(!CliRun.tandem(warm).err().contains("no effect"));
    }

    @Test
    void theHelpStatesTheDefaultOrder() {
        String help = CliRun.tandem("run", "--help").out().replaceAll("\\s+", "");
        assertTrue(help.contains("Default:" + SamplerKind.list(SamplerKind.DEFAULT_ORDER) + "."), help);
    }

    @Test
    void logProbabilitiesAreThoseOfTheModelBeforeAnySampler() {
        JsonNode plain = run("--logprobs 3");
        JsonNode biased = run("--logprobs 3 --logit-bias " + plain.get("ids").get(0) + "=-inf");
        JsonNode tokens = plain.get("logprobs");
        assertEquals(plain.get("ids").size(), tokens.size());
        for (int i = 0; i < tokens.size(); i++) {
            JsonNode token = tokens.get(i);
            assertEquals(plain.get("ids").get(i), token.get("id"));
            assertEquals(3, token.get("top").size());
            assertEquals(token.get("id"), token.get("top").get(0).get("id"), "a greedy choice is the likeliest");
            assertEquals(token.get("logprob"), token.get("top").get(0).get("logprob"));
            assertTrue(token.get("logprob").asDouble() <= 0, token.toString());
            assertTrue(token.get("text").isString(), token.toString());
        }
        assertEquals(tokens.get(0).get("top"), biased.get("logprobs").get(0).get("top"));
        assertEquals(
                tokens.get(0).get("top").get(1).get("id"),
                biased.get("logprobs").get(0).get("id"));
    }

    @Test
    void logProbabilitiesMayStandAlone() {
        assertEquals(0, run("--logprobs 0").get("logprobs").get(5).get("top").size());
        assertFalse(run("--temp 0").has("logprobs"));
    }
}
