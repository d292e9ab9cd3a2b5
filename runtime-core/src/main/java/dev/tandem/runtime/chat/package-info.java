/**
 * Conversations to prompts: chat templates of model files.
 *
 * <p>{@link dev.tandem.runtime.chat.ChatTemplate} reads a file's templates and renders messages, tools and options.
 * Templates of different vendors want the same things in different forms;
 * {@link dev.tandem.runtime.chat.ChatCapabilities} says what a template can do, found by rendering small conversations
 * and looking at the result, never by its name.
 *
 * <pre>{@code
 * ChatTemplate template = ChatTemplate.of(file, tokenizer, Clock.systemDefaultZone()).orElseThrow();
 * ChatTranscript transcript = new ChatTranscript();
 * PromptDelta delta = transcript.next(template.render(messages, ChatOptions.defaults()));
 * }</pre>
 *
 * <p>The language of templates does not belong here: see {@code dev.tandem.runtime.chat.jinja}. Nor do terminals: see
 * the command line.
 */
@NullMarked
package dev.tandem.runtime.chat;

import org.jspecify.annotations.NullMarked;
