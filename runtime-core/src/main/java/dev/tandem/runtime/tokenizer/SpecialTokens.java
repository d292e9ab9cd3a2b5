package dev.tandem.runtime.tokenizer;

import java.util.HashMap;
import java.util.Map;

/**
 * Finds special tokens in text: at each place, from left to right, the longest that stands there.
 *
 * <p>User-defined tokens are always looked for, control and unknown tokens on request. The tokens form a trie, so a
 * search costs no more for many tokens than for few. Immutable and thread-safe once filled.
 */
final class SpecialTokens {
    private static final int NONE = -1;

    /**
     * A token found.
     *
     * @param id the token
     * @param from first char
     * @param to end, exclusive
     */
    record Match(int id, int from, int to) {}

    private static final class Node {
        final Map<Character, Node> children = new HashMap<>();
        int id = NONE;
    }

    private final Vocabulary vocabulary;
    private final Node root = new Node();

    SpecialTokens(Vocabulary vocabulary) {
        this.vocabulary = vocabulary;
        for (int id = 0; id < vocabulary.size() && !vocabulary.isBlank(); id++) {
            TokenType type = vocabulary.type(id);
            if (type == TokenType.USER_DEFINED || type == TokenType.CONTROL || type == TokenType.UNKNOWN) {
                add(vocabulary.text(id), id);
            }
        }
    }

    private void add(String text, int id) {
        // An empty text would be found everywhere.
        if (text.isEmpty()) {
            return;
        }
        Node node = root;
        for (int i = 0; i < text.length(); i++) {
            node = node.children.computeIfAbsent(text.charAt(i), c -> new Node());
        }
        node.id = node.id == NONE ? id : node.id;
    }

    /**
     * The first special token at or behind an index.
     *
     * @param control whether control and unknown tokens count
     * @return the match, or an empty one with both ends at the end of the text and a negative id
     */
    Match find(String text, int from, boolean control) {
        for (int start = from; start < text.length(); start++) {
            Match match = longestAt(text, start, control);
            if (match.id() != NONE) {
                return match;
            }
        }
        return new Match(NONE, text.length(), text.length());
    }

    private Match longestAt(String text, int start, boolean control) {
        Match longest = new Match(NONE, start, start);
        Node node = root;
        for (int i = start; i < text.length(); i++) {
            node = node.children.get(text.charAt(i));
            if (node == null) {
                break;
            }
            if (node.id != NONE && (control || vocabulary.type(node.id) == TokenType.USER_DEFINED)) {
                longest = new Match(node.id, start, i + 1);
            }
        }
        return longest;
    }
}
