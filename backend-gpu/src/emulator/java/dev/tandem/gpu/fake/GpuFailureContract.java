package dev.tandem.gpu.fake;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.backend.cpu.CpuBackendProvider;
import dev.tandem.gpu.GpuProvider;
import dev.tandem.gpu.fake.FakeDriver.Call;
import dev.tandem.runtime.decode.GenerationListener;
import dev.tandem.runtime.decode.GenerationRequest;
import dev.tandem.runtime.decode.LiveSequence;
import dev.tandem.runtime.decode.Target;
import dev.tandem.runtime.decode.TargetSource;
import dev.tandem.runtime.decode.TokenLoop;
import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.sampling.SamplingOptions;
import dev.tandem.runtime.tokenizer.Tokenizer;
import dev.tandem.runtime.tokenizer.Tokenizers;
import dev.tandem.spi.DeviceException;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Precision;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A driver that fails in the middle of a generation (D14); extended by each vendor's plugin. */
public abstract class GpuFailureContract {
    private static final int[] PROMPT =
            IntStream.range(0, 140).map(i -> i * 7 % 1000).toArray();
    private static final SamplingOptions WARM = SamplingOptions.builder()
            .temperature(0.8f)
            .repeatPenalty(1.1f)
            .seed(3)
            .build();
    private static final int OUT_OF_MEMORY = 2;

    private final FakeDriver driver;
    private final String api;
    private final Backend cpu = PlacedModel.open(new CpuBackendProvider());
    private final Backend gpu;
    private final GgufFile file = PlacedModel.file("tiny/qwen3.gguf");
    private final Tokenizer tokenizer = Tokenizers.from(file);
    private final PlacedModel sound = new PlacedModel(file, cpu, cpu, Precision.FAST);

    /**
     * Opens the devices.
     *
     * @param driver of a vendor
     * @param provider of that vendor, over that driver
     */
    protected GpuFailureContract(FakeDriver driver, Function<FakeDriver, GpuProvider> provider) {
        this.driver = driver;
        this.gpu = PlacedModel.open(provider.apply(driver));
        this.api = gpu.device().driver().split(" ")[0];
    }

    /** Closes everything; nothing may be left, also of a lost device. */
    @AfterEach
    public final void close() {
        sound.close();
        gpu.close();
        cpu.close();
        file.close();
        assertEquals(0, driver.live(), "memory left on the device");
        driver.assertNoFaults();
        driver.reset();
    }

    /** A target on the GPU, replaced by one on the CPU. */
    private final class Source implements TargetSource {
        private Target current;
        private int losses;

        Source(PlacedModel first) {
            this.current = first.target();
        }

        @Override
        public Target current() {
            return current;
        }

        @Override
        public Target afterLoss(Target lost, DeviceException cause) {
            losses++;
            current = sound.target();
            return current;
        }
    }

    private int[] generate(TargetSource source, List<String> notices) {
        GenerationListener listener = new GenerationListener() {
            @Override
            public void onNotice(String notice) {
                notices.add(notice);
            }
        };
        try (LiveSequence sequence = new LiveSequence(source)) {
            GenerationRequest request = new GenerationRequest(PROMPT, 12, WARM, List.of(), true, true, () -> false);
            return new TokenLoop(tokenizer, sequence, request, listener).run().ids();
        }
    }

    private int[] expected() {
        return generate(new Source(sound), new ArrayList<>());
    }

    /** Whatever fails, and whether for good: the same tokens and one notice, which names the library in use. */
    @ParameterizedTest
    @CsvSource({
        "LAUNCH, 1, 719, false",
        "LAUNCH, 30, 719, true",
        "LAUNCH, 100, 700, true",
        "LAUNCH, 140, 719, false",
        "LAUNCH, 158, 719, true",
        "COPY, 1, 719, false",
        "COPY, 2, 700, true",
        "COPY, 9, 719, true",
        "WAIT, 1, 719, true",
        "WAIT, 6, 999, true"
    })
    public void theStreamGoesOnOnTheCpu(Call call, int number, int code, boolean forGood) {
        List<String> notices = new ArrayList<>();
        try (PlacedModel model = new PlacedModel(file, gpu, cpu, Precision.FAST)) {
            Source source = new Source(model);
            driver.fail(call, number, code, forGood);
            assertArrayEquals(expected(), generate(source, notices));
            assertEquals(1, source.losses);
            assertEquals(1, notices.size(), notices.toString());
            assertTrue(notices.getFirst().startsWith(api + " device 0 ("), notices.getFirst());
            String other = api.equals("CUDA") ? "hip" : "cu[A-Z]|CUDA";
            assertFalse(notices.getFirst().matches(".*(" + other + ").*"), notices.getFirst());
        }
    }

    /** A step that finds no room is run in halves. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 5})
    public void aPromptThatFindsNoMemoryIsRunInSmallerSteps(int number) {
        List<String> notices = new ArrayList<>();
        try (PlacedModel model = new PlacedModel(file, gpu, cpu, Precision.FAST)) {
            Source source = new Source(model);
            driver.fail(Call.ALLOCATION, number, OUT_OF_MEMORY, false);
            assertArrayEquals(expected(), generate(source, notices));
            assertEquals(0, source.losses);
            assertTrue(notices.isEmpty(), notices.toString());
        }
    }

    /** A model that does not fit is refused with numbers, and leaves the device as it was. */
    @Test
    public void aModelWithoutRoomIsRefusedWithNumbers() {
        int before = driver.live();
        for (int number : new int[] {1, 2, 9}) {
            driver.fail(Call.ALLOCATION, number, OUT_OF_MEMORY, false);
            DeviceException failure =
                    assertThrows(DeviceException.class, () -> new PlacedModel(file, gpu, cpu, Precision.FAST).close());
            assertEquals(ErrorCode.OUT_OF_MEMORY, failure.code());
            assertFalse(failure.lost());
            assertTrue(
                    failure.getMessage().matches(".* no memory for weight .* MiB wanted, .* of 1024.0 MiB free .*"),
                    failure.getMessage());
            assertEquals(before, driver.live(), "memory left after a refused model");
        }
        try (PlacedModel model = new PlacedModel(file, gpu, cpu, Precision.FAST)) {
            assertArrayEquals(sound.bits(PROMPT, 64), model.bits(PROMPT, 64));
        }
    }

    /** Handles of a lost device refuse calls with the first failure and can be closed. */
    @Test
    public void aLostDeviceAnswersWithItsFirstFailure() {
        try (PlacedModel model = new PlacedModel(file, gpu, cpu, Precision.FAST)) {
            driver.fail(Call.LAUNCH, 3, 719, true);
            DeviceException first = assertThrows(DeviceException.class, () -> model.bits(PROMPT, 64));
            DeviceException second = assertThrows(DeviceException.class, () -> model.bits(PROMPT, 64));
            assertTrue(first.lost() && second.lost());
            assertEquals(first.getMessage(), second.getMessage());
        }
    }
}
