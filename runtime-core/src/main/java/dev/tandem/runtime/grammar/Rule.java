package dev.tandem.runtime.grammar;

import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.UsageException;

/**
 * A rule of a grammar.
 *
 * @param name unique
 * @param where it stands, for messages, such as {@code a.gbnf, line 3}
 * @param expression what it stands for
 */
record Rule(String name, String where, Expression expression) {
    /** The refusal of a grammar because of this rule. */
    UsageException refusal(String problem, String remedy) {
        return new UsageException(ErrorCode.BAD_ARGUMENT, where + ": rule '" + name + "' " + problem, remedy);
    }
}
