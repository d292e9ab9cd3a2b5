package dev.tandem.runtime.speculative;

import dev.tandem.runtime.plugin.LoadedProvider;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.PluginException;
import dev.tandem.spi.UsageException;
import dev.tandem.spi.draft.DraftPlan;
import dev.tandem.spi.draft.DraftProvider;
import dev.tandem.spi.draft.DraftQuery;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;

/** Asks strategies for plans and checks them; loads nothing. */
public final class DraftSelector {
    private final SortedMap<String, LoadedProvider<DraftProvider>> strategies;
    private final Duration deadline;

    /**
     * A selector.
     *
     * @param strategies by id, such as {@code InstalledPlugins.drafts()}
     * @param deadline longest that a strategy may think about its plan
     */
    public DraftSelector(SortedMap<String, LoadedProvider<DraftProvider>> strategies, Duration deadline) {
        this.strategies = strategies;
        this.deadline = deadline;
    }

    /** Every strategy with its answer, in order of ids; a faulty one does not stop the others. */
    public List<DraftOffer> offers(DraftQuery query) {
        return strategies.values().stream()
                .map(strategy -> offer(strategy, query))
                .toList();
    }

    /**
     * The strategy that the user named.
     *
     * @param id of the strategy
     * @param query about the target
     * @throws UsageException where there is none of this name, or it does not fit
     * @throws PluginException where it fails to say
     */
    public DraftChoice select(String id, DraftQuery query) {
        LoadedProvider<DraftProvider> strategy = strategies.get(id);
        if (strategy == null) {
            throw new UsageException(
                    ErrorCode.BAD_ARGUMENT,
                    "there is no draft strategy " + id,
                    strategies.isEmpty()
                            ? "Put the jar of a draft strategy into a plugins folder that 'tandem doctor' lists, or name one with"
                                    + " --plugins DIR."
                            : "Choose one of " + String.join(", ", strategies.keySet()) + ".");
        }
        return switch (offer(strategy, query)) {
            case DraftChoice choice -> choice;
            case DraftOffer.Unfit unfit -> {
                String message =
                        "draft strategy " + id + " (" + strategy.origin().place() + ") does not fit "
                                + query.target().id().file() + ": " + unfit.reason();
                if (unfit.faulty()) {
                    throw new PluginException(ErrorCode.PLUGIN_FAULT, message, unfit.remedy());
                }
                throw new UsageException(ErrorCode.BAD_ARGUMENT, message, unfit.remedy());
            }
        };
    }

    /**
     * The strategy that promises most: one that reads the target's hidden states before one that knows tokens only.
     *
     * @param query about the target
     * @return empty where none fits
     */
    public Optional<DraftChoice> best(DraftQuery query) {
        List<DraftChoice> fitting = offers(query).stream()
                .filter(DraftChoice.class::isInstance)
                .map(DraftChoice.class::cast)
                .toList();
        return fitting.stream()
                .filter(choice -> !choice.plan().taps().isEmpty())
                .findFirst()
                .or(() -> fitting.stream().findFirst());
    }

    private DraftOffer offer(LoadedProvider<DraftProvider> strategy, DraftQuery query) {
        String id = strategy.id();
        DraftThread thread = new DraftThread(id, deadline);
        Optional<DraftPlan> plan = thread.ask("plan", () -> strategy.provider().plan(query), () -> false);
        Optional<String> fault = thread.fault();
        thread.quit("end", () -> {});
        if (fault.isPresent() || plan.isEmpty()) {
            return faulty(id, fault.orElse("plan answered nothing"));
        }
        return switch (plan.get()) {
            case DraftPlan.Unsupported no -> new DraftOffer.Unfit(id, no.reason(), no.remedy(), false);
            case DraftPlan.Fits fits ->
                PlanCheck.contradiction(fits, query.shape())
                        .map(reason -> faulty(id, reason))
                        .orElseGet(() -> new DraftChoice(strategy, query, fits));
        };
    }

    private static DraftOffer faulty(String id, String reason) {
        return new DraftOffer.Unfit(id, reason, ErrorCode.PLUGIN_FAULT.remedy(), true);
    }
}
