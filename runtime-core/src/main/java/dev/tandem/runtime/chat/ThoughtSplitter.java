package dev.tandem.runtime.chat;

/**
 * Parts a streamed answer into thoughts and what was to be said, however the stream is cut. Thoughts are recognised at
 * the beginning only: an answer may speak about the marks. White space between the parts belongs to neither. Not
 * thread-safe.
 */
public final class ThoughtSplitter {
    private final ThoughtMarks marks;
    private final Sink sink;
    private final StringBuilder held = new StringBuilder();
    private State state;
    private boolean atStart = true;

    /** Hears the parts; no text is empty. */
    public interface Sink {
        /**
         * Some of the thoughts.
         *
         * @param text the next piece
         */
        void onThought(String text);

        /**
         * Some of what follows the thoughts.
         *
         * @param text the next piece
         */
        void onAnswer(String text);
    }

    private enum State {
        BEGINNING,
        THOUGHT,
        ANSWER
    }

    /**
     * A splitter for one answer.
     *
     * @param marks around thoughts
     * @param prompt that is answered; where it ends with the opening mark, the answer begins with thoughts
     * @param sink hears the parts
     */
    public ThoughtSplitter(ThoughtMarks marks, String prompt, Sink sink) {
        this.marks = marks;
        this.sink = sink;
        this.state = prompt.stripTrailing().endsWith(marks.open()) ? State.THOUGHT : State.BEGINNING;
    }

    /**
     * Takes the next piece of the answer.
     *
     * @param text any piece
     */
    public void accept(String text) {
        held.append(text);
        if (state == State.BEGINNING) {
            begin();
        }
        if (state == State.THOUGHT) {
            think();
        }
        if (state == State.ANSWER) {
            emit(held.length());
        }
    }

    /** Hands out what was held back: the answer is over. */
    public void finish() {
        if (state == State.BEGINNING) {
            state = State.ANSWER;
            atStart = false;
        }
        emit(held.length());
    }

    private void begin() {
        String text = held.toString().stripLeading();
        if (text.startsWith(marks.open())) {
            follow(State.THOUGHT, held.length() - text.length() + marks.open().length());
        } else if (!marks.plain().isEmpty() && text.startsWith(marks.plain())) {
            follow(State.ANSWER, held.length() - text.length() + marks.plain().length());
        } else if (!marks.open().startsWith(text) && !marks.plain().startsWith(text)) {
            state = State.ANSWER;
            atStart = false;
        }
    }

    private void think() {
        int close = held.indexOf(marks.close());
        if (close >= 0) {
            emit(close);
            follow(State.ANSWER, marks.close().length());
        } else {
            emit(held.length() - beginningOfClose());
        }
    }

    private void follow(State next, int consumed) {
        held.delete(0, consumed);
        state = next;
        atStart = true;
    }

    /** How many characters at the end may belong to the closing mark, white space before it included. */
    private int beginningOfClose() {
        int most = Math.min(held.length(), marks.close().length() - 1);
        int length = most;
        while (length > 0 && !marks.close().startsWith(held.substring(held.length() - length))) {
            length--;
        }
        int start = held.length() - length;
        while (start > 0 && Character.isWhitespace(held.charAt(start - 1))) {
            start--;
        }
        return held.length() - start;
    }

    /** Hands out a beginning of what is held, without white space at the edges of a part. */
    private void emit(int length) {
        String text = held.substring(0, length);
        held.delete(0, length);
        if (atStart) {
            text = text.stripLeading();
        }
        boolean thought = state == State.THOUGHT;
        if (thought && (held.isEmpty() || held.indexOf(marks.close()) == 0)) {
            text = text.stripTrailing();
        }
        if (text.isEmpty()) {
            return;
        }
        atStart = false;
        if (thought) {
            sink.onThought(text);
        } else {
            sink.onAnswer(text);
        }
    }
}
