/**
 * An interpreter of the Jinja language, for chat templates.
 *
 * <p>{@link dev.tandem.runtime.chat.jinja.JinjaTemplate} is the door. The language is Jinja2 3.1 as the authors of chat
 * templates meet it: {@code trim_blocks} and {@code lstrip_blocks} on, no automatic escaping, loop controls, and the
 * functions that model repositories rely on. A template comes with a model file and is not trusted: parsing is linear,
 * nesting is bounded, and a rendering has a budget ({@link dev.tandem.runtime.chat.jinja.Limits}) of steps, characters,
 * depth and output.
 *
 * <p>A value is a plain Java object: {@link java.lang.String}, {@link java.lang.Boolean}, {@link java.lang.Long} or
 * {@link java.math.BigInteger} beyond its range, {@link java.lang.Double}, or one of the package's own ({@code None},
 * {@code Undefined}, {@code ListValue}, {@code Tuple}, {@code Dict}, …). Strings are counted in code points.
 *
 * <p>What differs from Jinja2: {@code safe} and {@code escape} give plain strings, since nothing is escaped; lists
 * and dicts may be changed by their methods, and a loop goes over a list as it was when it began; {@code random} is
 * refused, since a prompt must not depend on chance; templates that need other templates ({@code include}, {@code
 * import}, {@code extends}) are refused.
 *
 * <p>What a conversation looks like does not belong here: see {@code dev.tandem.runtime.chat}.
 */
@NullMarked
package dev.tandem.runtime.chat.jinja;

import org.jspecify.annotations.NullMarked;
