package dev.tandem.runtime.grammar;

import dev.tandem.runtime.tokenizer.TokenType;
import dev.tandem.runtime.tokenizer.Tokenizer;
import java.util.BitSet;

/** A grammar over the tokens of one vocabulary. Immutable and thread-safe; made once, used by any number of generations. */
public final class TokenGrammar {
    private static final byte[] NO_TEXT = {};

    private final Network network;
    private final VocabularyTrie trie;
    private final BitSet endTokens = new BitSet();

    /**
     * Joins both.
     *
     * @param grammar of the text
     * @param tokenizer tells what each token adds to it; control, unknown and unused tokens are no text
     */
    public TokenGrammar(Grammar grammar, Tokenizer tokenizer) {
        this.network = grammar.network();
        tokenizer.endOfGeneration().forEach(endTokens::set);
        byte[][] texts = new byte[tokenizer.vocabularySize()][];
        for (int id = 0; id < texts.length; id++) {
            texts[id] = isText(tokenizer.type(id)) && !endTokens.get(id) ? tokenizer.bytes(id) : NO_TEXT;
        }
        this.trie = new VocabularyTrie(texts);
    }

    private static boolean isText(TokenType type) {
        return type == TokenType.NORMAL || type == TokenType.USER_DEFINED || type == TokenType.BYTE;
    }

    /**
     * A mask for a text that begins now.
     *
     * @param tokenizer the one of the constructor
     * @param mayEnd whether end tokens are allowed where the text is whole
     * @return a new mask
     */
    public TokenMask begin(Tokenizer tokenizer, boolean mayEnd) {
        return new TokenMask(network, trie, mayEnd ? endTokens : new BitSet(), tokenizer::bytes);
    }
}
