package dev.tandem.gpu.fake;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.tandem.backend.cpu.CpuBackendProvider;
import dev.tandem.gpu.GpuProvider;
import dev.tandem.gpu.fake.FakeDriver.Call;
import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Backend.CompileOptions;
import dev.tandem.spi.backend.Backend.StateOptions;
import dev.tandem.spi.backend.Batch;
import dev.tandem.spi.backend.Executable;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.backend.SequenceState;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.spi.backend.WeightRequest;
import dev.tandem.spi.backend.WeightSet;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.Op;
import dev.tandem.spi.graph.Value;
import dev.tandem.spi.graph.ValueType;
import dev.tandem.spi.graph.ValueType.RowSet;
import dev.tandem.spi.graph.WeightRef;
import dev.tandem.spi.model.DType;
import dev.tandem.testkit.MemoryModel;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Whole models on the emulator give the bits of the CPU backend; extended by each vendor's plugin. */
public abstract class GpuModelContract {
    private final FakeDriver driver;
    private final Backend cpu;
    private final Backend gpu;

    /**
     * Opens the devices.
     *
     * @param driver of a vendor
     * @param provider of that vendor, over that driver
     */
    protected GpuModelContract(FakeDriver driver, Function<FakeDriver, GpuProvider> provider) {
        this.driver = driver;
        this.cpu = PlacedModel.open(new CpuBackendProvider());
        this.gpu = PlacedModel.open(provider.apply(driver));
    }

    /** Closes both. */
    @AfterEach
    public final void close() {
        gpu.close();
        cpu.close();
        driver.assertNoFaults();
        assertEquals(0, driver.live(), "memory left on the device");
    }

    /** Some tokens, always the same. */
    protected static int[] tokens(int count, int vocabulary) {
        return new Random(count).ints(count, 0, vocabulary).toArray();
    }

    /**
     * Compares a model's logits, the prompt being run in pieces of several sizes.
     *
     * @param name of the model's file beside the repository
     * @param precision of the arithmetic
     * @param tokens of the prompt
     * @param pieces sizes
     */
    protected final void sameBits(String name, Precision precision, int[] tokens, int... pieces) {
        try (GgufFile file = PlacedModel.file(name);
                PlacedModel here = new PlacedModel(file, gpu, cpu, precision);
                PlacedModel there = new PlacedModel(file, cpu, cpu, precision)) {
            int[][] expected = there.bits(tokens, tokens.length);
            for (int piece : pieces) {
                assertArrayEquals(expected, here.bits(tokens, piece), name + ", pieces of " + piece);
            }
            assertEquals(0, here.refused(), name + ": nodes that the device refuses");
        }
    }

    /** Compares a model of which some nodes run on the CPU; answers how many. */
    protected final int sameBitsWithRefusals(String name, int[] tokens) {
        try (GgufFile file = PlacedModel.file(name);
                PlacedModel here = new PlacedModel(file, gpu, cpu, Precision.FAST);
                PlacedModel there = new PlacedModel(file, cpu, cpu, Precision.FAST)) {
            assertArrayEquals(there.bits(tokens, tokens.length), here.bits(tokens, 5), name);
            return here.refused();
        }
    }

    /** Dense and with experts, in both precisions. */
    @ParameterizedTest
    @ValueSource(strings = {"qwen3", "gpt-oss"})
    public void tinyModelsHaveTheCpusBits(String name) {
        for (Precision precision : Precision.values()) {
            sameBits("tiny/" + name + ".gguf", precision, tokens(20, 1024), 20, 3);
        }
    }

    /** A trained model. */
    @Test
    public void aTrainedModelHasTheCpusBits() {
        sameBits("models/sprig-java-31m-q4_k_m.gguf", Precision.FAST, tokens(9, 12_288), 9, 4);
    }

    /** Rows of a tree on both sides of a chunk's end, of plain and of quantised weights. */
    @ParameterizedTest
    @CsvSource({"tiny/qwen3, 1024", "archs/qwen3-dense-q8_0, 128", "archs/gpt-oss-moe-q8_0, 128"})
    public void treesHaveTheCpusBits(String name, int vocabulary) {
        int[] parents = {-1, 0, 0, 1, 2, 3, -1, 6, 5, 8, 8};
        int[] nodes = tokens(parents.length, vocabulary);
        int[] history = tokens(126, vocabulary);
        try (GgufFile file = PlacedModel.file(name + ".gguf");
                PlacedModel here = new PlacedModel(file, gpu, cpu, Precision.FAST);
                PlacedModel there = new PlacedModel(file, cpu, cpu, Precision.FAST)) {
            assertArrayEquals(there.treeBits(history, nodes, parents), here.treeBits(history, nodes, parents));
        }
    }

    /** Two models on one device, in both orders, and the second one after the first was closed. */
    @ParameterizedTest
    @CsvSource({"qwen3, gpt-oss", "gpt-oss, qwen3"})
    public void twoModelsDoNotDisturbEachOther(String first, String second) {
        int[] tokens = tokens(14, 1024);
        try (GgufFile one = PlacedModel.file("tiny/" + first + ".gguf");
                GgufFile other = PlacedModel.file("tiny/" + second + ".gguf");
                PlacedModel oneThere = new PlacedModel(one, cpu, cpu, Precision.FAST);
                PlacedModel otherThere = new PlacedModel(other, cpu, cpu, Precision.FAST);
                PlacedModel otherHere = new PlacedModel(other, gpu, cpu, Precision.FAST)) {
            PlacedModel oneHere = new PlacedModel(one, gpu, cpu, Precision.FAST);
            assertArrayEquals(oneThere.bits(tokens, 14), oneHere.bits(tokens, 5));
            assertArrayEquals(otherThere.bits(tokens, 14), otherHere.bits(tokens, 5));
            assertArrayEquals(oneThere.bits(tokens, 14), oneHere.bits(tokens, 14));
            oneHere.close();
            assertArrayEquals(otherThere.bits(tokens, 14), otherHere.bits(tokens, 14));
        }
    }

    /** Steps that repeat are recorded; what they give stays that of the CPU over more than one chunk of attention. */
    @Test
    public void recordedStepsHaveTheCpusBits() {
        int[] tokens = tokens(140, 1024);
        try (GgufFile file = PlacedModel.file("tiny/qwen3.gguf");
                PlacedModel here = new PlacedModel(file, gpu, cpu, Precision.FAST);
                PlacedModel there = new PlacedModel(file, cpu, cpu, Precision.FAST)) {
            int[][] expected = there.bits(tokens, 128);
            assertArrayEquals(expected, here.bits(tokens, 4));
            // The 40 kernels of a step become one launch, so the 200th is never made.
            driver.fail(Call.LAUNCH, 200, 719, true);
            int[][] alone = here.bits(Arrays.copyOf(tokens, 20), 1);
            driver.reset();
            assertArrayEquals(Arrays.copyOf(expected, 20), alone);
        }
    }

    /** Values move when a step has more rows than any before; a recording of smaller steps must not outlive that. */
    @Test
    public void recordingsAreForgottenWhenValuesMove() {
        int[] tokens = tokens(12, 1024);
        try (GgufFile file = PlacedModel.file("tiny/qwen3.gguf");
                PlacedModel here = new PlacedModel(file, gpu, cpu, Precision.FAST);
                PlacedModel there = new PlacedModel(file, cpu, cpu, Precision.FAST)) {
            int[][] expected = there.bits(tokens, 12);
            for (int rows : new int[] {1, 2, 1, 3, 2, 1, 6, 3, 1}) {
                assertArrayEquals(expected, here.bits(tokens, rows), rows + " rows at a time");
            }
        }
    }

    /** A norm takes over the addition before it, but only where the norm is wanted. */
    @Test
    public void anAdditionIsComputedAlsoWithoutTheNormAfterIt() {
        MemoryModel model = new MemoryModel("sum").tensor("w", DType.Q8_0, new byte[34], 1, 32);
        Graph.Builder graph = Graph.builder("sum");
        Value a = graph.input("a", ValueType.f32(RowSet.STEP, 32));
        Value sum = graph.add("sum", new Op.Add(), a, graph.input("b", ValueType.f32(RowSet.STEP, 32)));
        Value norm = graph.add("norm", new Op.RmsNorm(Optional.empty(), 32, 1e-5f), sum);
        WeightRef weight = WeightRef.of(model, model.tensor("w").orElseThrow());
        Op product = new Op.MatMul(weight, Optional.empty(), Op.Arithmetic.BY_PRECISION);
        Graph built = graph.output("sum", sum)
                .output("product", graph.add("product", product, norm))
                .build();
        float[] ones = new float[32];
        Arrays.fill(ones, 1f);
        Rows rows = new Rows.Host(a.type(), 1, MemorySegment.ofArray(ones));
        try (WeightSet weights = gpu.load(new WeightRequest(model, List.of(built), Precision.FAST, bytes -> {}));
                Executable executable =
                        gpu.compile(built, new CompileOptions(Precision.FAST, true, 1), List.of(weights));
                SequenceState state = gpu.newState(List.of(), new StateOptions(1, 1))) {
            state.begin(StepKind.DECODE, new int[] {-1});
            List<Batch.Slice> slices = List.of(new Batch.Slice(state, 0));
            Batch batch =
                    new Batch(new int[0], new int[1], slices, new int[0], Map.of("a", rows, "b", rows), Set.of("sum"));
            float[] result = new float[32];
            executable.run(batch).output("sum").copyTo(0, 1, MemorySegment.ofArray(result));
            Arrays.fill(ones, 2f);
            assertArrayEquals(ones, result);
        }
    }
}
