package dev.tandem.runtime.grammar;

import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The rules of a grammar as nodes: byte ranges, forks, calls of rules and one end. Immutable once built.
 *
 * <p>Node {@value #END} ends every rule. A repetition with bounds is written out, so the number of nodes is bounded too.
 */
final class Network {
    static final int END = 0;
    private static final int MOST_NODES = 1 << 18;

    /** What a node does. */
    enum Kind {
        /** Ends its rule. */
        END,
        /** Takes a byte from {@link #least} to {@link #greatest} and goes on at {@link #next}. */
        BYTES,
        /** Goes on at any of its branches. */
        FORK,
        /** Runs the rule at {@link #callee} and goes on at {@link #next}. */
        CALL
    }

    private final List<Rule> rules;
    private final Map<String, Integer> ruleIndexes = new HashMap<>();
    private final int[] starts;
    private Kind[] kinds = {Kind.END};
    private int[][] operands = {{}};
    private int[] owners = {0};
    private int nodes = 1;
    private final int root;

    /**
     * Builds the nodes.
     *
     * @param rules checked
     * @param rootName one of them
     * @throws dev.tandem.spi.UsageException where a rule grows too large
     */
    Network(Map<String, Rule> rules, String rootName) {
        this.rules = List.copyOf(rules.values());
        for (int i = 0; i < this.rules.size(); i++) {
            ruleIndexes.put(this.rules.get(i).name(), i);
        }
        this.starts = new int[this.rules.size()];
        for (int i = 0; i < starts.length; i++) {
            starts[i] = build(this.rules.get(i).expression(), END, i);
        }
        this.root = starts[index(rootName)];
    }

    private int index(String rule) {
        return Objects.requireNonNull(ruleIndexes.get(rule), rule);
    }

    /** The node at which an expression begins that goes on at another. */
    private int build(Expression expression, int next, int owner) {
        return switch (expression) {
            case Expression.Characters(CodePointRanges set) -> characters(set, next, owner);
            case Expression.Reference(String name) -> add(Kind.CALL, owner, index(name), next);
            case Expression.Choice(List<Expression> options) -> {
                int[] branches = options.stream()
                        .mapToInt(option -> build(option, next, owner))
                        .toArray();
                yield branches.length == 1 ? branches[0] : add(Kind.FORK, owner, branches);
            }
            case Expression.Sequence(List<Expression> parts) -> {
                int node = next;
                for (Expression part : parts.reversed()) {
                    node = build(part, node, owner);
                }
                yield node;
            }
            case Expression.Repeat repeat -> repetition(repeat, next, owner);
        };
    }

    private int repetition(Expression.Repeat repeat, int next, int owner) {
        int node = next;
        if (repeat.most() == Expression.Repeat.UNBOUNDED) {
            node = add(Kind.FORK, owner, END, next);
            operands[node][0] = build(repeat.body(), node, owner);
        }
        for (int i = repeat.least(); i < repeat.most(); i++) {
            node = add(Kind.FORK, owner, build(repeat.body(), node, owner), next);
        }
        for (int i = 0; i < repeat.least(); i++) {
            node = build(repeat.body(), node, owner);
        }
        return node;
    }

    private int characters(CodePointRanges set, int next, int owner) {
        List<int[][]> forms = Utf8Ranges.of(set);
        int[] branches = new int[forms.size()];
        for (int i = 0; i < branches.length; i++) {
            int node = next;
            for (int[] unit : Arrays.asList(forms.get(i)).reversed()) {
                node = add(Kind.BYTES, owner, unit[0], unit[1], node);
            }
            branches[i] = node;
        }
        return branches.length == 1 ? branches[0] : add(Kind.FORK, owner, branches);
    }

    private int add(Kind kind, int owner, int... values) {
        if (nodes == MOST_NODES) {
            throw rules.get(owner)
                    .refusal(
                            "makes the grammar too large: more than " + MOST_NODES + " steps",
                            "Repeat less often, or without bounds.");
        }
        if (nodes == kinds.length) {
            kinds = Arrays.copyOf(kinds, 2 * nodes);
            operands = Arrays.copyOf(operands, 2 * nodes);
            owners = Arrays.copyOf(owners, 2 * nodes);
        }
        kinds[nodes] = kind;
        operands[nodes] = values;
        owners[nodes] = owner;
        return nodes++;
    }

    /** Where texts begin. */
    int root() {
        return root;
    }

    Kind kind(int node) {
        return kinds[node];
    }

    int least(int node) {
        return operands[node][0];
    }

    int greatest(int node) {
        return operands[node][1];
    }

    /** Of a byte range or a call. */
    int next(int node) {
        int[] values = operands[node];
        return values[values.length - 1];
    }

    int[] branches(int node) {
        return operands[node];
    }

    /** Where the rule begins that a node calls. */
    int callee(int node) {
        return starts[operands[node][0]];
    }

    /** The rule that a node is part of. */
    Rule owner(int node) {
        return rules.get(owners[node]);
    }
}
