package dev.tandem.runtime.speculative;

import static dev.tandem.runtime.speculative.Speculating.OPTIONS;
import static dev.tandem.runtime.speculative.Speculating.PROMPT;
import static dev.tandem.runtime.speculative.Speculating.WARM;
import static dev.tandem.runtime.speculative.Speculating.request;
import static dev.tandem.runtime.speculative.TappingDrafts.TAPS;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.backend.cpu.vector.VectorKernels;
import dev.tandem.runtime.Golden;
import dev.tandem.runtime.ModelOptions;
import dev.tandem.runtime.Session;
import dev.tandem.runtime.decode.CommitListener.Commit;
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
import dev.tandem.runtime.placement.Site;
import dev.tandem.runtime.state.Sequence;
import dev.tandem.runtime.tokenizer.Tokenizers;
import dev.tandem.spi.DeviceException;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Backend.StateOptions;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.backend.Rows;
import dev.tandem.spi.backend.StepKind;
import dev.tandem.spi.draft.CommittedRun.Phase;
import dev.tandem.spi.draft.DraftPlan.Fits;
import dev.tandem.spi.draft.DraftQuery;
import dev.tandem.spi.graph.Graph;
import dev.tandem.spi.graph.ValueType;
import dev.tandem.spi.graph.ValueType.RowSet;
import dev.tandem.spi.model.DType;
import dev.tandem.testkit.draft.NoHost;
import dev.tandem.testkit.wrap.Death;
import dev.tandem.testkit.wrap.DyingBackend;
import java.lang.foreign.MemorySegment;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The hidden states that a strategy hears are, as bits, those of a plain forward pass of the same tokens. */
final class HiddenStateTests {
    private static final int STEP_ROWS = 5;

    private final Speculating s =
            new Speculating("qwen3", ModelOptions.defaults().inStepsOf(STEP_ROWS));
    private final GgufFile file = GgufFile.open(Golden.resource("tiny/qwen3.gguf"));
    private final LanguageModel model = Architectures.read(file);
    private final Graph graph = model.forward(new GraphOptions(DType.F16, TAPS));
    private final Backend cpu = Hosted.cpu("cpu", VectorKernels.preferred());
    private final int[] run = s.run(request(24, WARM));
    private final TappingDrafts tapping = new TappingDrafts(run, s.vocabulary(), query());

    private DraftQuery query() {
        return s.model.draftQuery(List.of());
    }

    @AfterEach
    void close() {
        cpu.close();
        file.close();
        s.close();
    }

    private Site load(Backend backend) {
        return Site.load(graph, file, backend, cpu, Precision.FAST, bytes -> {});
    }

    /** Feeds tokens one by one and compares every tap with what the strategy heard. */
    private void compare(int[] tokens, String what) {
        assertEquals(tokens.length, tapping.heard.size(), what + ": number of tokens heard");
        try (Site site = load(cpu);
                PlacedGraph placed = site.compile(graph, 1);
                Sequence sequence = Sequence.create(placed.slots(), new StateOptions(128, 1))) {
            for (int at = 0; at < tokens.length; at++) {
                sequence.begin(StepKind.DECODE, new int[] {-1});
                PlacedGraph.Result result = placed.run(new PlacedGraph.Request(
                        List.of(sequence),
                        new int[] {tokens[at]},
                        new int[] {at},
                        new int[] {0},
                        Map.of(),
                        graph.outputs().keySet()));
                for (int tap = 0; tap < TAPS.size(); tap++) {
                    int[] plain = Hosted.bits(result.output(LanguageModel.tap(tap)), 0, 1);
                    assertArrayEquals(plain, tapping.heard.get(at)[tap], what + ", token " + at + ", " + TAPS.get(tap));
                }
                sequence.commit(new int[] {0});
            }
        }
    }

    private static void soundly(GenerationResult result) {
        DraftStatistics did = result.draft().orElseThrow();
        assertTrue(did.parked().isEmpty(), did::toString);
        assertTrue(did.accepted() > 0, did::toString);
    }

    @Test
    void ofAPromptInPiecesOfTreesByTheirPathsAndAfterACut() {
        int[] changed = PROMPT.clone();
        changed[4] = 99;
        GenerationRequest other = new GenerationRequest(changed, 8, WARM, List.of(), true, true, () -> false);
        try (LoadedDraft draft = s.open(tapping);
                Session session = s.model.newSession(draft, OPTIONS)) {
            GenerationResult result = session.generate(request(20, WARM), GenerationListener.NONE);
            soundly(result);
            assertArrayEquals(s.plain(request(20, WARM)).ids(), result.ids());
            assertEquals(List.of(Phase.PREFILL, Phase.PREFILL, Phase.DECODE), tapping.phases.subList(0, 3));
            compare(session.tokens(), "the first prompt");
            GenerationResult again = session.generate(other, GenerationListener.NONE);
            assertTrue(again.draft().orElseThrow().parked().isEmpty(), again::toString);
            assertArrayEquals(s.plain(other).ids(), again.ids());
            compare(session.tokens(), "a prompt that changed");
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Death.Call.class,
            names = {"BEGIN", "RUN", "COMMIT", "COPY"})
    void ofTokensRunAgainAfterTheLossOfADevice(Death.Call call) {
        int afterThePrompt = call == Death.Call.COPY ? 20 : 4;
        Backend dying = new DyingBackend(cpu, Death.losing(call, afterThePrompt));
        try (Site lost = load(dying);
                Site spare = load(cpu)) {
            Target first = target(lost);
            Target second = target(spare);
            TargetSource source = new TargetSource() {
                @Override
                public Target current() {
                    return first;
                }

                @Override
                public Target afterLoss(Target gone, DeviceException cause) {
                    return second;
                }
            };
            Fits plan = (Fits) tapping.plan(query());
            Drafter drafter =
                    new Drafter("tapping", tapping.open(query(), new NoHost()), s.vocabulary(), OPTIONS.deadline());
            try (LiveSequence sequence = new LiveSequence(source);
                    Stepper stepper = new SpeculativeStepper(sequence, drafter, OPTIONS, null, plan)) {
                GenerationResult result = new TokenLoop(
                                Tokenizers.from(file), sequence, stepper, request(20, WARM), GenerationListener.NONE)
                        .run();
                soundly(result);
                assertTrue(tapping.phases.contains(Phase.RESTORE), () -> tapping.phases.toString());
                assertArrayEquals(s.plain(request(20, WARM)).ids(), result.ids());
                compare(sequence.tokens(), call.name());
            }
        }
    }

    @Test
    void theArraysThatAStrategyHearsAreItsOwn() {
        Drafter drafter =
                new Drafter("tapping", tapping.open(query(), new NoHost()), s.vocabulary(), OPTIONS.deadline());
        Fits plan = (Fits) tapping.plan(query());
        int[] tokens = {5, 6};
        int[] rows = {1, 2};
        Rows tap = new Rows.Host(ValueType.f32(RowSet.STEP, 1), 3, MemorySegment.ofArray(new float[3]));
        try (Site site = load(cpu)) {
            Target target = target(site);
            TargetSource source = new TargetSource() {
                @Override
                public Target current() {
                    return target;
                }

                @Override
                public Target afterLoss(Target lost, DeviceException cause) {
                    throw cause;
                }
            };
            try (LiveSequence sequence = new LiveSequence(source);
                    SpeculativeStepper stepper = new SpeculativeStepper(sequence, drafter, OPTIONS, null, plan)) {
                stepper.onCommitted(new Commit(false, 0, tokens, Collections.nCopies(TAPS.size(), tap), rows));
                drafter.settle(() -> false);
            }
            target.close();
        }
        assertEquals(2, tapping.heard.size());
        assertArrayEquals(new int[] {5, 6}, tokens);
        assertArrayEquals(new int[] {1, 2}, rows);
    }

    private Target target(Site site) {
        return new Target(site.compile(graph, STEP_ROWS), s.vocabulary(), 128, STEP_ROWS, new ReentrantLock());
    }
}
