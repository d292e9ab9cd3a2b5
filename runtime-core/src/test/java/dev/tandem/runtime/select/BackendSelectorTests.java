package dev.tandem.runtime.select;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.plugin.LoadedProvider;
import dev.tandem.runtime.plugin.PluginEntry;
import dev.tandem.runtime.plugin.PluginOrigin;
import dev.tandem.runtime.plugin.PluginProblem;
import dev.tandem.runtime.plugin.PluginReport;
import dev.tandem.runtime.plugin.PluginSource;
import dev.tandem.runtime.plugin.PluginState;
import dev.tandem.runtime.plugin.ProbedBackend;
import dev.tandem.runtime.plugin.ProviderKind;
import dev.tandem.spi.Availability;
import dev.tandem.spi.Availability.Available;
import dev.tandem.spi.Availability.Reason;
import dev.tandem.spi.Availability.Unavailable;
import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.DeviceInfo.Kind;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.PluginException;
import dev.tandem.spi.UsageException;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.BackendProvider;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

class BackendSelectorTests {
    private static final long GIB = 1L << 30;
    private static final PluginReport NOTHING_ELSE = report();
    private static final ProbedBackend CPU = available("cpu", device("cpu", Kind.CPU, 16));
    private static final ProbedBackend NO_CUDA = backend(
            "cuda",
            new Unavailable(
                    Reason.LIBRARY_MISSING,
                    "libcuda.so.1: cannot open shared object file",
                    "Install the NVIDIA driver",
                    Optional.of(new IllegalStateException("dlopen"))));

    @Test
    void prefersDiscreteToIntegratedToCpuWhateverTheirMemory() {
        ProbedBackend integrated = available("a", device("0", Kind.INTEGRATED, 64));
        ProbedBackend discrete = available("z", device("0", Kind.DISCRETE, 8));
        assertEquals("z", auto(CPU, integrated, discrete).backend().id());
        assertEquals("a", auto(CPU, integrated).backend().id());
        assertEquals("cpu", auto(CPU).backend().id());
    }

    @Test
    void prefersFreeMemoryThenIdThenTheDriversOrder() {
        ProbedBackend a = available("a", device("0", Kind.DISCRETE, 8), device("1", Kind.DISCRETE, 24));
        ProbedBackend b = available("b", device("x", Kind.DISCRETE, 24), device("w", Kind.DISCRETE, 24));
        BackendChoice choice = auto(b, a, CPU);
        assertEquals("a", choice.backend().id());
        assertEquals("1", choice.device().id());
        assertEquals("x", auto(b).device().id());
    }

    @Test
    void doesNotDependOnTheOrderOfItsArguments() {
        long seed = 20260101;
        List<ProbedBackend> backends = new ArrayList<>(List.of(
                CPU,
                NO_CUDA,
                available("a", device("0", Kind.DISCRETE, 24)),
                available("b", device("0", Kind.DISCRETE, 24)),
                available("c", device("0", Kind.INTEGRATED, 99))));
        Random random = new Random(seed);
        for (int i = 0; i < 50; i++) {
            Collections.shuffle(backends, random);
            BackendChoice choice = auto(backends.toArray(ProbedBackend[]::new));
            assertEquals("a", choice.backend().id(), "seed " + seed);
        }
    }

    @Test
    void ranksADeviceThatIsTooSmallBelowTheCpuAndSaysSo() {
        ProbedBackend small = available("gpu", device("0", Kind.DISCRETE, 4));
        BackendChoice choice = new BackendSelector(List.of(small, CPU), NOTHING_ELSE, new ModelNeeds(5 * GIB))
                .select(BackendRequest.auto());
        assertEquals("cpu", choice.backend().id());
        assertEquals(
                "backend: cpu (gpu device 0 (gpu 0, discrete, 4.0 GiB free) is too small for 5.0 GiB;"
                        + " see 'tandem doctor')",
                choice.line());
    }

    @Test
    void takesADeviceOfUnknownMemory() {
        ProbedBackend unknown = available("gpu", new DeviceInfo("0", "gpu", Kind.DISCRETE, -1, -1, "driver"));
        BackendChoice choice = new BackendSelector(List.of(unknown, CPU), NOTHING_ELSE, new ModelNeeds(5 * GIB))
                .select(BackendRequest.auto());
        assertEquals("gpu", choice.backend().id());
    }

    @Test
    void warnsWhereTheDeviceAskedForMayBeTooSmall() {
        ProbedBackend small = available("gpu", device("0", Kind.DISCRETE, 4));
        BackendChoice choice = new BackendSelector(List.of(small, CPU), NOTHING_ELSE, new ModelNeeds(5 * GIB))
                .select(BackendRequest.named("gpu"));
        assertEquals("gpu", choice.backend().id());
        assertEquals(
                List.of("gpu device 0 (gpu 0, discrete, 4.0 GiB free) may be too small: the model needs about 5.0 GiB"),
                choice.notes());
    }

    @Test
    void fallsBackInOneLineThatSaysWhy() {
        assertEquals(
                "backend: cpu (cuda: libcuda.so.1: cannot open shared object file. Install the NVIDIA driver;"
                        + " see 'tandem doctor')",
                auto(NO_CUDA, CPU).line());
    }

    @Test
    void namesPluginsThatNeverLoadedWhenFallingBack() {
        PluginReport report = report(broken("/plugins/cuda.jar", Optional.empty()));
        BackendChoice choice = new BackendSelector(List.of(CPU), report, ModelNeeds.NONE).select(BackendRequest.auto());
        assertEquals(
                "backend: cpu (/plugins/cuda.jar: needs SPI 1.2, this runtime has 1.1: update the runtime;"
                        + " see 'tandem doctor')",
                choice.line());
    }

    @Test
    void saysNothingOfFailuresThatDidNotMatter() {
        assertEquals(
                "backend: gpu",
                auto(NO_CUDA, CPU, available("gpu", device("0", Kind.DISCRETE, 4)))
                        .line());
        assertEquals("backend: cpu", auto(CPU).line());
        PluginEntry draft = new PluginEntry(
                broken("/plugins/d.jar", Optional.empty()).origin(),
                Optional.of(ProviderKind.DRAFT),
                Optional.empty(),
                PluginState.FAILED,
                Optional.of(new PluginProblem("a", "b", Optional.empty())));
        assertEquals(
                "backend: cpu",
                new BackendSelector(List.of(CPU), report(draft), ModelNeeds.NONE)
                        .select(BackendRequest.auto())
                        .line());
    }

    @Test
    void explainsTheRanking() {
        assertEquals(
                List.of(
                        "1. gpu device 0 (gpu 0, discrete, 4.0 GiB free)",
                        "2. cpu device cpu (cpu cpu, cpu, 16.0 GiB free)",
                        "-  cuda: libcuda.so.1: cannot open shared object file. Install the NVIDIA driver"),
                auto(NO_CUDA, CPU, available("gpu", device("0", Kind.DISCRETE, 4)))
                        .ranking());
    }

    @Test
    void throwsWhereNothingCanRun() {
        PluginException e = assertThrows(PluginException.class, () -> auto(NO_CUDA));
        assertEquals(
                "no backend can run: cuda: libcuda.so.1: cannot open shared object file. Install the NVIDIA driver",
                e.getMessage());
        assertEquals(
                "no backend can run: no backend is loaded",
                assertThrows(PluginException.class, BackendSelectorTests::auto).getMessage());
    }

    @Test
    void neverReplacesAnExplicitChoice() {
        PluginException e = assertThrows(PluginException.class, () -> select("cuda", NO_CUDA, CPU));
        assertEquals(ErrorCode.BACKEND_UNAVAILABLE, e.code());
        assertEquals(
                "backend 'cuda' (/plugins/cuda.jar) cannot run: libcuda.so.1: cannot open shared object file",
                e.getMessage());
        assertEquals("Install the NVIDIA driver", e.remedy());
        assertInstanceOf(IllegalStateException.class, e.getCause());
    }

    @Test
    void takesTheExplicitChoiceAgainstTheRanking() {
        BackendChoice choice = select("cpu", CPU, available("gpu", device("0", Kind.DISCRETE, 4)));
        assertEquals("cpu", choice.backend().id());
        assertEquals("backend: cpu", choice.line());
        assertEquals(List.of(), choice.notes());
    }

    @Test
    void refusesAnUnknownNameWithTheNamesThatExist() {
        UsageException e = assertThrows(UsageException.class, () -> select("cudo", NO_CUDA, CPU));
        assertEquals("there is no backend 'cudo'; did you mean 'cuda'?", e.getMessage());
        assertEquals("Choose one of: auto, cpu, cuda; 'tandem doctor' lists every plugin.", e.remedy());
        UsageException far = assertThrows(UsageException.class, () -> select("metal", NO_CUDA, CPU));
        assertEquals("there is no backend 'metal'", far.getMessage());
        assertThrows(UsageException.class, () -> select("", CPU));
    }

    @Test
    void saysThatTheNameMayBelongToAPluginThatDidNotLoad() {
        PluginReport report = report(broken("/plugins/cuda.jar", Optional.empty()));
        UsageException e = assertThrows(
                UsageException.class,
                () -> new BackendSelector(List.of(CPU), report, ModelNeeds.NONE).select(BackendRequest.named("cuda")));
        assertEquals(
                "there is no backend 'cuda' (not loaded: /plugins/cuda.jar: needs SPI 1.2, this runtime has 1.1:"
                        + " update the runtime)",
                e.getMessage());
    }

    @Test
    void choosesTheDeviceAskedForAndListsDevicesOtherwise() {
        ProbedBackend two = available("gpu", device("0", Kind.DISCRETE, 8), device("1", Kind.DISCRETE, 4));
        BackendSelector selector = new BackendSelector(List.of(two, CPU), NOTHING_ELSE, ModelNeeds.NONE);
        assertEquals(
                "1",
                selector.select(BackendRequest.named("gpu").onDevice("1"))
                        .device()
                        .id());
        UsageException e = assertThrows(
                UsageException.class,
                () -> selector.select(BackendRequest.named("gpu").onDevice("2")));
        assertEquals("backend 'gpu' has no device '2'", e.getMessage());
        assertEquals("Choose one of: 0, 1.", e.remedy());
        assertThrows(UsageException.class, () -> BackendRequest.auto().onDevice("1"));
    }

    @Test
    void readsAutoAsNoChoice() {
        assertEquals(BackendRequest.auto(), BackendRequest.named("auto"));
    }

    @Test
    void acceptsHipForRocmWithoutAWord() {
        BackendChoice choice = select("hip", CPU, available("rocm", device("0", Kind.DISCRETE, 8)));
        assertEquals("rocm", choice.backend().id());
        assertEquals(List.of(), choice.notes());
    }

    @Test
    void acceptsCudaForRocmOnlyWhereNothingElseClaimsItAndSaysSo() {
        ProbedBackend rocm = available("rocm", device("0", Kind.DISCRETE, 8));
        BackendChoice choice = select("cuda", CPU, rocm);
        assertEquals("rocm", choice.backend().id());
        assertEquals("backend: rocm", choice.line());
        assertTrue(choice.notes().getFirst().contains("compatibility alias"), choice.notes()::toString);

        assertThrows(PluginException.class, () -> select("cuda", CPU, rocm, NO_CUDA));
        PluginReport claimed = report(broken("/plugins/cuda.jar", Optional.of("cuda")));
        assertThrows(
                UsageException.class,
                () -> new BackendSelector(List.of(CPU, rocm), claimed, ModelNeeds.NONE)
                        .select(BackendRequest.named("cuda")));
    }

    private static BackendChoice auto(ProbedBackend... backends) {
        return new BackendSelector(Arrays.asList(backends), NOTHING_ELSE, ModelNeeds.NONE)
                .select(BackendRequest.auto());
    }

    private static BackendChoice select(String name, ProbedBackend... backends) {
        return new BackendSelector(Arrays.asList(backends), NOTHING_ELSE, ModelNeeds.NONE)
                .select(BackendRequest.named(name));
    }

    private static DeviceInfo device(String id, Kind kind, long freeGib) {
        String name = (kind == Kind.CPU ? "cpu " : "gpu ") + id;
        return new DeviceInfo(id, name, kind, 2 * freeGib * GIB, freeGib * GIB, "driver");
    }

    private static ProbedBackend available(String id, DeviceInfo... devices) {
        return backend(id, new Available(List.of(devices)));
    }

    private static ProbedBackend backend(String id, Availability availability) {
        PluginOrigin origin = origin("/plugins/" + id + ".jar");
        return new ProbedBackend(new LoadedProvider<>(id, new FakeProvider(id, availability), origin), availability);
    }

    private static PluginOrigin origin(String jar) {
        return new PluginOrigin(
                PluginSource.OPTION, Optional.of(Path.of(jar)), Optional.empty(), Optional.empty(), Optional.empty());
    }

    private static PluginEntry broken(String jar, Optional<String> id) {
        return new PluginEntry(
                origin(jar),
                Optional.empty(),
                id,
                PluginState.REFUSED,
                Optional.of(new PluginProblem(
                        "needs SPI 1.2, this runtime has 1.1", "update the runtime", Optional.empty())));
    }

    private static PluginReport report(PluginEntry... entries) {
        return new PluginReport(List.of(), List.of(entries), List.of());
    }

    private record FakeProvider(String id, Availability probe) implements BackendProvider {
        @Override
        public Backend open(DeviceInfo device, OpenOptions options) {
            throw new UnsupportedOperationException("selection opens nothing");
        }
    }
}
