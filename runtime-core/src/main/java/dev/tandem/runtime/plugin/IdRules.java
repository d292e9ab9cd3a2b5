package dev.tandem.runtime.plugin;

import dev.tandem.runtime.plugin.ProviderLoading.Found;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Settles which provider owns an id, from the places where each was found.
 *
 * <p>Ids of built-in providers and some words of the command line are reserved. Twice in one place disables both, because
 * neither can be shown to be the one that the user meant. Otherwise the place of the highest rank wins.
 */
final class IdRules {
    /**
     * Words that mean something else on the command line, and the id of the built-in backend: a plugin that took its
     * place could remove the fallback.
     */
    private static final Set<String> RESERVED = Set.of("cpu", "auto", "none", "off");

    private static final Pattern WELL_FORMED = Pattern.compile("[a-z][a-z0-9-]{0,31}");

    private final List<PluginEntry> entries = new ArrayList<>();
    private final List<Found.Candidate> winners = new ArrayList<>();
    private final List<String> notices = new ArrayList<>();
    private final Map<Key, List<Claim>> claims = new LinkedHashMap<>();

    /** Ids are unique among providers of one kind. */
    private record Key(ProviderKind kind, String id) {}

    /** One provider that claims an id, the rank of its place, and its line in the report. */
    private record Claim(Found.Candidate candidate, int rank, int line) {}

    static boolean isWellFormed(String id) {
        return WELL_FORMED.matcher(id).matches();
    }

    static PluginProblem malformed(String id) {
        String shown = id.length() <= 64 ? id : id.substring(0, 64) + "...";
        return PluginProblem.of(
                "its id '" + shown + "' does not have the form " + WELL_FORMED.pattern(),
                "ask its author to rename it");
    }

    /**
     * Takes what was found.
     *
     * @param places findings by place, the highest rank first; the first place is the application class path
     */
    IdRules(List<List<Found>> places) {
        for (int rank = 0; rank < places.size(); rank++) {
            for (Found found : places.get(rank)) {
                enter(found, rank);
            }
        }
        claims.forEach(this::settle);
    }

    /** One line for each finding, in the order given. */
    List<PluginEntry> entries() {
        return List.copyOf(entries);
    }

    /** The providers in use. */
    List<Found.Candidate> winners() {
        return List.copyOf(winners);
    }

    /** One line for each override. */
    List<String> notices() {
        return List.copyOf(notices);
    }

    private void enter(Found found, int rank) {
        switch (found) {
            case Found.Bad bad -> entries.add(bad.entry());
            case Found.Candidate candidate -> {
                Key key = new Key(candidate.kind(), candidate.id());
                claims.computeIfAbsent(key, k -> new ArrayList<>()).add(new Claim(candidate, rank, entries.size()));
                entries.add(PluginEntry.loaded(candidate.origin(), candidate.kind(), candidate.id()));
            }
        }
    }

    private void settle(Key key, List<Claim> all) {
        List<Claim> builtIn = all.stream().filter(IdRules::isBuiltIn).toList();
        List<Claim> open = new ArrayList<>();
        for (Claim claim : all) {
            boolean reserved = RESERVED.contains(key.id()) || !builtIn.isEmpty();
            if (reserved && !isBuiltIn(claim)) {
                reject(
                        claim,
                        PluginState.REFUSED,
                        "the id '" + key.id() + "' is reserved for the runtime",
                        "ask its author to rename it, or remove it");
            } else {
                open.add(claim);
            }
        }
        chooseByRank(key, open);
    }

    private void chooseByRank(Key key, List<Claim> open) {
        Optional<Claim> winner = Optional.empty();
        for (int rank : open.stream().map(Claim::rank).collect(Collectors.toCollection(TreeSet::new))) {
            List<Claim> here =
                    open.stream().filter(claim -> claim.rank() == rank).toList();
            if (here.size() > 1) {
                here.forEach(claim -> rejectTwin(key, claim, here));
            } else if (winner.isEmpty()) {
                winner = Optional.of(here.getFirst());
                winners.add(here.getFirst().candidate());
            } else {
                override(key, here.getFirst(), place(winner.get()));
            }
        }
    }

    private void rejectTwin(Key key, Claim claim, List<Claim> all) {
        String others = all.stream()
                .filter(other -> !other.equals(claim))
                .map(IdRules::place)
                .distinct()
                .collect(Collectors.joining(", "));
        reject(
                claim,
                PluginState.REFUSED,
                "the id '" + key.id() + "' is claimed twice in one place, by " + place(claim) + " and by " + others,
                "remove all but one");
    }

    private void override(Key key, Claim claim, String winner) {
        notices.add(key.kind().label() + " '" + key.id() + "' from " + winner + " overrides " + place(claim));
        reject(claim, PluginState.OVERRIDDEN, "overridden by " + winner, "remove the one that is not wanted");
    }

    private void reject(Claim claim, PluginState state, String reason, String remedy) {
        Found.Candidate candidate = claim.candidate();
        entries.set(
                claim.line(),
                new PluginEntry(
                        candidate.origin(),
                        Optional.of(candidate.kind()),
                        Optional.of(candidate.id()),
                        state,
                        Optional.of(PluginProblem.of(reason, remedy))));
    }

    private static boolean isBuiltIn(Claim claim) {
        return claim.candidate().origin().source() == PluginSource.APPLICATION;
    }

    private static String place(Claim claim) {
        return claim.candidate().origin().place();
    }
}
