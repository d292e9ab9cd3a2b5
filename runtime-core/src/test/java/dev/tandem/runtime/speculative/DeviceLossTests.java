package dev.tandem.runtime.speculative;

import static dev.tandem.runtime.speculative.Speculating.OPTIONS;
import static dev.tandem.runtime.speculative.Speculating.WARM;
import static dev.tandem.runtime.speculative.Speculating.request;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.backend.cpu.CpuBackendProvider;
import dev.tandem.runtime.Golden;
import dev.tandem.runtime.decode.DraftStatistics;
import dev.tandem.runtime.decode.GenerationListener;
import dev.tandem.runtime.decode.GenerationRequest;
import dev.tandem.runtime.decode.GenerationResult;
import dev.tandem.runtime.decode.LiveSequence;
import dev.tandem.runtime.decode.Stepper;
import dev.tandem.runtime.decode.Target;
import dev.tandem.runtime.decode.TargetSource;
import dev.tandem.runtime.decode.TokenLoop;
import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.model.Architectures;
import dev.tandem.runtime.model.LanguageModel;
import dev.tandem.runtime.model.LanguageModel.GraphOptions;
import dev.tandem.runtime.placement.PlacedGraph;
import dev.tandem.runtime.placement.Placement;
import dev.tandem.runtime.tokenizer.Tokenizer;
import dev.tandem.runtime.tokenizer.Tokenizers;
import dev.tandem.spi.Availability.Available;
import dev.tandem.spi.DeviceException;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Backend.CompileOptions;
import dev.tandem.spi.backend.BackendProvider.OpenOptions;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.WeightRequest;
import dev.tandem.spi.backend.WeightSet;
import dev.tandem.spi.draft.CommittedRun.Phase;
import dev.tandem.spi.draft.DraftModel;
import dev.tandem.spi.draft.DraftPlan.Fits;
import dev.tandem.spi.draft.DraftQuery;
import dev.tandem.spi.draft.DraftQuery.TargetShape;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.model.DType;
import dev.tandem.testkit.draft.NoHost;
import dev.tandem.testkit.wrap.Death;
import dev.tandem.testkit.wrap.DyingBackend;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Devices that fail under the guesses: the tokens stay, and the strategy hears what was built again. */
final class DeviceLossTests {
    private static final GenerationRequest REQUEST = request(20, WARM);

    private final GgufFile file = GgufFile.open(Golden.resource("tiny/qwen3.gguf"));
    private final LanguageModel model = Architectures.read(file);
    private final Tokenizer tokenizer = Tokenizers.from(file);
    private final Backend cpu = cpu();

    private static Backend cpu() {
        CpuBackendProvider provider = new CpuBackendProvider();
        Available available = (Available) provider.probe();
        return provider.open(available.devices().getFirst(), new OpenOptions(1));
    }

    @AfterEach
    void close() {
        cpu.close();
        file.close();
    }

    private Target target(Backend backend) {
        Graph graph = model.forward(new GraphOptions(DType.F16, List.of()));
        Placement placement = Placement.of(graph, backend, cpu, Precision.FAST);
        WeightSet weights = backend.load(new WeightRequest(file, List.of(graph), Precision.FAST, bytes -> {}));
        PlacedGraph placed = new PlacedGraph(
                placement, new CompileOptions(Precision.FAST, true, 16), Map.of(backend, List.of(weights)));
        return new Target(placed, model.shape().vocabulary(), 128, 16, new ReentrantLock());
    }

    private GenerationResult generate(Backend backend, HearingDrafts hearing) {
        Target first = target(backend);
        TargetSource source = new TargetSource() {
            @Override
            public Target current() {
                return first;
            }

            @Override
            public Target afterLoss(Target lost, DeviceException cause) {
                return target(cpu);
            }
        };
        DraftQuery query = new DraftQuery(
                file, List.of(), new TargetShape(2, 64, 1024, false), new DraftQuery.Limits(15, 0, 128, -1));
        Fits plan = (Fits) hearing.plan(query);
        DraftModel draft = hearing.open(query, new NoHost());
        Drafter drafter = new Drafter("hearing", draft, 1024, OPTIONS.deadline());
        try (LiveSequence sequence = new LiveSequence(source);
                Stepper stepper = new SpeculativeStepper(sequence, drafter, OPTIONS, null, plan)) {
            return new TokenLoop(tokenizer, sequence, stepper, REQUEST, GenerationListener.NONE).run();
        }
    }

    private int[] run() {
        try (Speculating s = new Speculating("qwen3")) {
            return s.run(request(24, WARM));
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Death.Call.class,
            names = {"BEGIN", "RUN", "COMMIT", "COPY"})
    void theStreamGoesOnAndTheStrategyIsToldAgain(Death.Call call) {
        int[] run = run();
        int told = 0;
        for (int number = 1; number <= 4; number++) {
            DyingBackend dying = new DyingBackend(cpu, Death.losing(call, number));
            HearingDrafts hearing = new HearingDrafts(run);
            GenerationResult result = generate(dying, hearing);
            String what = call + " " + number;
            assertTrue(dying.lost(), what);
            assertArrayEquals(Arrays.copyOfRange(run, 7, 27), result.ids(), what);
            DraftStatistics did = result.draft().orElseThrow();
            assertTrue(did.parked().isEmpty(), what + ": " + did.parked());
            assertTrue(did.accepted() > 10, what + ": " + did);
            told += hearing.phases.contains(Phase.RESTORE) ? 1 : 0;
        }
        assertEquals(3, told, "the first loss came before the strategy had heard anything");
    }

    @Test
    void aPassWithoutRoomIsRepeatedWithoutGuessesAndLaterOnesAreSmaller() {
        int[] run = run();
        DyingBackend full = new DyingBackend(cpu, Death.failing(Death.Call.RUN, 2));
        HearingDrafts hearing = new HearingDrafts(run);
        GenerationResult result = generate(full, hearing);
        assertArrayEquals(Arrays.copyOfRange(run, 7, 27), result.ids());
        DraftStatistics did = result.draft().orElseThrow();
        assertTrue(did.parked().isEmpty());
        assertEquals(did.passes() + 2, full.calls(Death.Call.RUN), "the prompt and the failed pass: " + did);
        assertEquals(2, did.depths().size(), "3 of 6 rows are tried next: " + did);
    }
}
