package dev.tandem.runtime.select;

import dev.tandem.runtime.plugin.PluginEntry;
import dev.tandem.runtime.plugin.PluginReport;
import dev.tandem.runtime.plugin.ProbedBackend;
import dev.tandem.runtime.plugin.ProviderKind;
import dev.tandem.spi.Availability.Unavailable;
import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.PluginException;
import dev.tandem.spi.UsageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Chooses the backend and device to run on.
 *
 * <p>Facts are compared in this order: the user's choice, whether it can run, whether the model fits, the kind of device
 * (discrete above integrated above CPU), free memory, id. The same arguments always give the same choice.
 */
public final class BackendSelector {
    private final List<ProbedBackend> backends;
    private final PluginReport report;
    private final ModelNeeds needs;

    /**
     * A selector over what was found.
     *
     * @param backends every backend in use with its probe's answer
     * @param report all plugins, to say what happened to one that is not in use
     * @param needs what the model takes; {@link ModelNeeds#NONE} without a model
     */
    public BackendSelector(List<ProbedBackend> backends, PluginReport report, ModelNeeds needs) {
        this.backends = List.copyOf(backends);
        this.report = report;
        this.needs = needs;
    }

    /**
     * Chooses.
     *
     * @param request what the user asked for
     * @return the choice, explained
     * @throws UsageException where the name of the backend or device means nothing here
     * @throws PluginException where the backend asked for cannot run, or none can
     */
    public BackendChoice select(BackendRequest request) {
        return request.id().isPresent() ? explicit(request.id().get(), request.device()) : automatic();
    }

    private BackendChoice automatic() {
        List<Candidate> ranked = Candidate.rank(backends, needs);
        if (ranked.isEmpty()) {
            String reasons = failures().isEmpty() ? "no backend is loaded" : String.join("; ", failures());
            throw new PluginException(ErrorCode.BACKEND_UNAVAILABLE, "no backend can run: " + reasons);
        }
        return choice(ranked, fallbackLine(ranked), new ArrayList<>());
    }

    private BackendChoice explicit(String name, Optional<String> device) {
        BackendNames.Resolved resolved =
                BackendNames.resolve(name, ids(), report).orElseThrow(() -> unknown(name));
        ProbedBackend backend = backends.stream()
                .filter(probed -> probed.id().equals(resolved.id()))
                .findFirst()
                .orElseThrow();
        if (backend.availability() instanceof Unavailable why) {
            throw new PluginException(
                    ErrorCode.BACKEND_UNAVAILABLE,
                    "backend '" + resolved.id() + "' ("
                            + backend.backend().origin().place() + ") cannot run: " + why.detail(),
                    why.remedy(),
                    why.cause().orElse(null));
        }
        List<Candidate> ranked = Candidate.rank(List.of(backend), needs);
        List<Candidate> wanted = ranked.stream()
                .filter(candidate -> device.isEmpty() || candidate.device().id().equals(device.get()))
                .toList();
        if (wanted.isEmpty()) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    "backend '" + resolved.id() + "' has no device '" + device.orElseThrow() + "'",
                    "Choose one of: "
                            + ranked.stream()
                                    .map(candidate -> candidate.device().id())
                                    .collect(Collectors.joining(", "))
                            + ".");
        }
        List<String> notes = new ArrayList<>();
        resolved.note().ifPresent(notes::add);
        return choice(wanted, "backend: " + resolved.id(), notes);
    }

    private BackendChoice choice(List<Candidate> ranked, String line, List<String> notes) {
        Candidate best = ranked.getFirst();
        if (!best.fits()) {
            notes.add(
                    best.describe() + " may be too small: the model needs about " + Candidate.gib(needs.memoryBytes()));
        }
        return new BackendChoice(best.backend(), best.device(), line, ranking(ranked), notes);
    }

    private List<String> ranking(List<Candidate> ranked) {
        List<String> lines = new ArrayList<>();
        for (Candidate candidate : ranked) {
            String memory = candidate.fits() ? "" : ": too small for " + Candidate.gib(needs.memoryBytes());
            lines.add((lines.size() + 1) + ". " + candidate.describe() + memory);
        }
        failures().forEach(failure -> lines.add("-  " + failure));
        return lines;
    }

    /** Says why the CPU runs although something else is installed; without a reason the line names the backend alone. */
    private String fallbackLine(List<Candidate> ranked) {
        Candidate best = ranked.getFirst();
        String line = "backend: " + best.backend().id();
        if (best.device().kind() != DeviceInfo.Kind.CPU) {
            return line;
        }
        List<String> reasons = new ArrayList<>();
        for (Candidate candidate : ranked) {
            if (!candidate.fits()) {
                reasons.add(candidate.describe() + " is too small for " + Candidate.gib(needs.memoryBytes()));
            }
        }
        reasons.addAll(failures());
        return reasons.isEmpty() ? line : line + " (" + String.join("; ", reasons) + "; see 'tandem doctor')";
    }

    /** One clause for each backend that cannot run: those in use first, then those that never got so far. */
    private List<String> failures() {
        List<String> failures = new ArrayList<>();
        for (ProbedBackend probed : backends) {
            if (probed.availability() instanceof Unavailable why) {
                failures.add(probed.id() + ": " + clause(why.detail()) + ". " + clause(why.remedy()));
            }
        }
        for (PluginEntry entry : report.broken()) {
            if (!entry.kind().equals(Optional.of(ProviderKind.DRAFT))) {
                failures.add(clause(entry));
            }
        }
        return failures;
    }

    private UsageException unknown(String name) {
        List<String> ids = ids();
        String guess = BackendNames.nearest(name, ids)
                .map(near -> "; did you mean '" + near + "'?")
                .orElse("");
        String broken = report.broken().stream()
                .filter(entry -> entry.id().isEmpty() || entry.id().equals(Optional.of(name)))
                .map(BackendSelector::clause)
                .collect(Collectors.joining("; "));
        return new UsageException(
                ErrorCode.BAD_ARGUMENT,
                "there is no backend '" + name + "'" + guess
                        + (broken.isEmpty() ? "" : " (not loaded: " + broken + ")"),
                "Choose one of: auto, " + String.join(", ", ids) + "; 'tandem doctor' lists every plugin.");
    }

    private List<String> ids() {
        return backends.stream().map(ProbedBackend::id).sorted().toList();
    }

    private static String clause(PluginEntry entry) {
        String name = entry.id().orElse(entry.origin().place());
        return name + ": " + entry.problem().orElseThrow().message();
    }

    /** One line without its full stop, so that it can stand inside a sentence. */
    private static String clause(String text) {
        String line = text.replaceAll("[\\p{IsControl}\\s]+", " ").strip();
        return line.endsWith(".") ? line.substring(0, line.length() - 1) : line;
    }
}
