/**
 * The façade: open an engine, load a model, open a session, generate.
 *
 * <pre>{@code
 * try (Engine engine = Engine.open(EngineOptions.defaults());
 *         Model model = engine.load(Path.of("model.gguf"), ModelOptions.defaults());
 *         Session session = model.newSession()) {
 *     int[] prompt = model.tokenizer().encode("public static int sum(", EncodeOptions.PROMPT);
 *     session.generate(GenerationRequest.greedy(prompt, 64), new GenerationListener() {
 *         public void onText(String text) {
 *             System.out.print(text);
 *         }
 *     });
 * }
 * }</pre>
 *
 * <p>Ownership: whoever opens closes, inner things first. An {@link dev.tandem.runtime.Engine} and a
 * {@link dev.tandem.runtime.Model} are safe for use by several threads; a {@link dev.tandem.runtime.Session} is one
 * sequence for one thread at a time. What does not belong here: anything that a subpackage can do without the others.
 */
@NullMarked
package dev.tandem.runtime;

import org.jspecify.annotations.NullMarked;
