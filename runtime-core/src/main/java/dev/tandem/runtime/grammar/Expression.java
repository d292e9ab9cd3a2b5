package dev.tandem.runtime.grammar;

import java.util.List;

/** What a rule of a grammar stands for: a set of texts. */
sealed interface Expression {
    /** The empty text. */
    Expression EMPTY = new Sequence(List.of());

    /** One character of a set. */
    record Characters(CodePointRanges set) implements Expression {}

    /** One part after the other. */
    record Sequence(List<Expression> parts) implements Expression {
        public Sequence {
            parts = List.copyOf(parts);
        }
    }

    /** One of several. */
    record Choice(List<Expression> options) implements Expression {
        public Choice {
            options = List.copyOf(options);
        }
    }

    /**
     * The body several times.
     *
     * @param body what is repeated
     * @param least times
     * @param most times; {@link #UNBOUNDED} for any number
     */
    record Repeat(Expression body, int least, int most) implements Expression {
        static final int UNBOUNDED = -1;
    }

    /** What another rule stands for. */
    record Reference(String rule) implements Expression {}

    /** A fixed text. */
    static Expression text(String text) {
        return new Sequence(text.codePoints()
                .mapToObj(c -> (Expression) new Characters(CodePointRanges.of(c, c)))
                .toList());
    }

    static Expression sequence(Expression... parts) {
        return new Sequence(List.of(parts));
    }

    static Expression choice(Expression... options) {
        return new Choice(List.of(options));
    }

    static Expression optional(Expression body) {
        return new Repeat(body, 0, 1);
    }
}
