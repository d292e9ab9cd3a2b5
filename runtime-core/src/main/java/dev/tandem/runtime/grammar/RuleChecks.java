package dev.tandem.runtime.grammar;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;

/** Refuses rules that a recogniser could not run: undefined, endless and left-recursive ones. */
final class RuleChecks {
    private final Map<String, Rule> rules;
    private final Set<String> nullable;

    private RuleChecks(Map<String, Rule> rules) {
        this.rules = rules;
        this.nullable = fixpoint(characters -> false);
    }

    /**
     * Checks a grammar.
     *
     * @throws dev.tandem.spi.UsageException naming the rule
     */
    static void check(Map<String, Rule> rules) {
        rules.values().forEach(rule -> requireDefined(rule, rule.expression(), rules));
        RuleChecks checks = new RuleChecks(rules);
        Set<String> ending = checks.fixpoint(characters -> true);
        for (Rule rule : rules.values()) {
            if (!ending.contains(rule.name())) {
                throw rule.refusal("never ends: it always needs itself again", "Give it an alternative that ends.");
            }
        }
        checks.refuseLeftRecursion();
    }

    private static void requireDefined(Rule rule, Expression expression, Map<String, Rule> rules) {
        if (expression instanceof Expression.Reference(String name) && !rules.containsKey(name)) {
            throw rule.refusal("uses '" + name + "', which is not defined", "Define it, or correct the name.");
        }
        parts(expression).forEach(part -> requireDefined(rule, part, rules));
    }

    private static List<Expression> parts(Expression expression) {
        return switch (expression) {
            case Expression.Characters characters -> List.of();
            case Expression.Reference reference -> List.of();
            case Expression.Sequence(List<Expression> parts) -> parts;
            case Expression.Choice(List<Expression> options) -> options;
            case Expression.Repeat(Expression body, int least, int most) -> List.of(body);
        };
    }

    /**
     * Rules that have a text made only of what counts: with no characters, the rules that can be empty; with characters, those
     * that can end.
     */
    private Set<String> fixpoint(Predicate<Expression.Characters> counts) {
        Set<String> found = new HashSet<>();
        // Rules mostly use later ones.
        List<Rule> backwards = List.copyOf(rules.values()).reversed();
        int before;
        do {
            before = found.size();
            for (Rule rule : backwards) {
                if (has(rule.expression(), counts, found)) {
                    found.add(rule.name());
                }
            }
        } while (found.size() > before);
        return found;
    }

    private static boolean has(Expression expression, Predicate<Expression.Characters> counts, Set<String> found) {
        return switch (expression) {
            case Expression.Characters characters -> counts.test(characters);
            case Expression.Reference(String name) -> found.contains(name);
            case Expression.Sequence(List<Expression> parts) ->
                parts.stream().allMatch(part -> has(part, counts, found));
            case Expression.Choice(List<Expression> options) ->
                options.stream().anyMatch(option -> has(option, counts, found));
            case Expression.Repeat(Expression body, int least, int most) -> least == 0 || has(body, counts, found);
        };
    }

    private void refuseLeftRecursion() {
        Map<String, Set<String>> first = new HashMap<>();
        rules.values().forEach(rule -> {
            Set<String> names = new HashSet<>();
            collectFirst(rule.expression(), names);
            first.put(rule.name(), names);
        });
        for (Rule rule : rules.values()) {
            if (reaches(rule.name(), first)) {
                throw rule.refusal(
                        "is left-recursive: it can begin with itself",
                        "Write the repetition with '*' or to the right.");
            }
        }
    }

    private static boolean reaches(String name, Map<String, Set<String>> first) {
        Set<String> seen = new HashSet<>();
        List<String> open = new ArrayList<>(first.getOrDefault(name, Set.of()));
        while (!open.isEmpty()) {
            String next = open.removeLast();
            if (next.equals(name)) {
                return true;
            }
            if (seen.add(next)) {
                open.addAll(Objects.requireNonNull(first.get(next)));
            }
        }
        return false;
    }

    /** Adds the rules that can stand at the beginning. */
    private void collectFirst(Expression expression, Set<String> names) {
        switch (expression) {
            case Expression.Characters characters -> {}
            case Expression.Reference(String name) -> names.add(name);
            case Expression.Choice(List<Expression> options) -> options.forEach(option -> collectFirst(option, names));
            case Expression.Repeat(Expression body, int least, int most) -> collectFirst(body, names);
            case Expression.Sequence(List<Expression> parts) -> {
                for (Expression part : parts) {
                    collectFirst(part, names);
                    if (!has(part, characters -> false, nullable)) {
                        break;
                    }
                }
            }
        }
    }
}
