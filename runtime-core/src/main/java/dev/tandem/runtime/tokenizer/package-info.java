/**
 * Text to token ids and back, by the vocabulary that a model file carries.
 *
 * <p>Start at {@link dev.tandem.runtime.tokenizer.Tokenizers#from}, which reads and checks the metadata, and at
 * {@link dev.tandem.runtime.tokenizer.Tokenizer}. Text on its way to ids passes three stages: special tokens cut it
 * (SpecialTokens), a pre-tokenizer cuts the rest into words (PreTokenizer), and a TokenModel turns each word into ids.
 *
 * <p>To add a pre-tokenizer, write its scanner, one row in PreTokenization and its pattern in the test PublishedPatterns,
 * which compares the two; to add another kind of vocabulary, write one TokenModel and one line in Tokenizers.
 *
 * <p>Character classes are those of the running JDK, Unicode 16 in JDK 25. A character that Unicode assigned after a model was trained may
 * therefore be cut differently than in training; the ids still decode to the same text.
 *
 * <p>Chat templates are not here: see {@code dev.tandem.runtime.chat}. Nor is reading the file: see
 * {@code dev.tandem.runtime.gguf}.
 */
@NullMarked
package dev.tandem.runtime.tokenizer;

import org.jspecify.annotations.NullMarked;
