package dev.tandem.cli;

import dev.tandem.runtime.chat.ThoughtSplitter;
import dev.tandem.runtime.decode.GenerationListener;

/** Shows one answer as it comes: progress through the prompt, thoughts as wanted, then the answer itself. */
final class AnswerView implements ThoughtSplitter.Sink, AutoCloseable {
    private static final String DIM = "\033[2m";
    private static final String NOT_DIM = "\033[22m";

    private final Console console;
    private final Thinking.Style style;
    private final StringBuilder thoughts = new StringBuilder();
    private final StringBuilder answer = new StringBuilder();
    private StreamedText stream;
    private boolean thinking;

    AnswerView(Console console, Thinking.Style style) {
        this.console = console;
        this.style = style;
        this.stream = new StreamedText(console, true, "", 0, null);
    }

    /** What a generation reports, beside its text, which goes through the splitter. */
    GenerationListener listener(int promptTokens, ThoughtSplitter splitter) {
        stream.close();
        stream = new StreamedText(console, true, "", promptTokens, null);
        StreamedText current = stream;
        return new GenerationListener() {
            @Override
            public void onPrefill(int done, int total) {
                current.onPrefill(done, total);
            }

            @Override
            public void onRestore(int done, int total) {
                current.onRestore(done, total);
            }

            @Override
            public void onNotice(String notice) {
                current.onNotice(notice);
            }

            @Override
            public void onText(String text) {
                splitter.accept(text);
            }
        };
    }

    @Override
    public void onThought(String text) {
        if (!thinking) {
            thinking = true;
            if (style == Thinking.Style.DIM) {
                stream.write(DIM);
            } else if (style == Thinking.Style.MARKED) {
                stream.write("<think>\n");
            }
        }
        thoughts.append(text);
        if (style == Thinking.Style.DIM || style == Thinking.Style.MARKED) {
            stream.onText(text);
        }
    }

    @Override
    public void onAnswer(String text) {
        endThoughts();
        answer.append(text);
        stream.onText(text);
    }

    private void endThoughts() {
        if (!thinking) {
            return;
        }
        thinking = false;
        switch (style) {
            case DIM -> stream.write(NOT_DIM + "\n\n");
            case MARKED -> stream.write("\n</think>\n\n");
            case FOLDED -> {
                int words = thoughts.toString().strip().split("\\s+").length;
                console.sayDimmed("(thoughts of " + Text.plural(words, "word") + " folded; /think on shows them)");
            }
            case HIDDEN -> {}
        }
    }

    /** The thoughts so far. */
    String thoughts() {
        return thoughts.toString();
    }

    /** The answer so far. */
    String answer() {
        return answer.toString();
    }

    /** Ends what is open, and the line. */
    @Override
    public void close() {
        endThoughts();
        stream.close();
    }
}
