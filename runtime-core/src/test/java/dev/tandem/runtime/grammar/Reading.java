package dev.tandem.runtime.grammar;

import java.nio.charset.StandardCharsets;

/** What a grammar makes of a text. */
enum Reading {
    /** One of its texts. */
    WHOLE,
    /** A beginning of one. */
    BEGINNING,
    /** Neither. */
    WRONG;

    static Reading of(String grammar, String text) {
        return of(Grammar.parse(grammar, "test"), text.getBytes(StandardCharsets.UTF_8));
    }

    static Reading of(Grammar grammar, byte[] text) {
        Recogniser recogniser = new Recogniser(grammar.network());
        Recogniser.State state = recogniser.start();
        for (byte b : text) {
            state = recogniser.next(state, Byte.toUnsignedInt(b));
        }
        return state.ends() ? WHOLE : state.isDead() ? WRONG : BEGINNING;
    }
}
