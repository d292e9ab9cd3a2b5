package dev.tandem.cli;

import dev.tandem.runtime.decode.GenerationListener;
import org.jspecify.annotations.Nullable;

/** Shows a generation as it goes: progress through the prompt, then the text. */
final class StreamedText implements GenerationListener, AutoCloseable {
    private final Console console;
    private final boolean streams;
    private final @Nullable ChosenLogProbabilities chosen;
    private final Progress prefill;
    private @Nullable Progress restore;
    private String pending;
    private boolean midLine;

    /**
     * A view of one generation.
     *
     * @param console where to show it
     * @param streams whether text is written as it comes
     * @param echo written before the first text
     * @param promptTokens tokens to run before it
     * @param chosen collects log-probabilities; null where nobody wants them
     */
    StreamedText(
            Console console, boolean streams, String echo, int promptTokens, @Nullable ChosenLogProbabilities chosen) {
        this.console = console;
        this.streams = streams;
        this.pending = echo;
        this.chosen = chosen;
        this.prefill = Progress.start(console, "reading the prompt", promptTokens);
    }

    @Override
    public void onPrefill(int done, int total) {
        prefill.at(done);
        if (done == total) {
            prefill.close();
            write("");
        }
    }

    @Override
    public void onNotice(String notice) {
        endLine();
        console.warn(notice);
    }

    @Override
    public void onRestore(int done, int total) {
        Progress running = restore;
        if (running == null) {
            endLine();
            running = Progress.start(console, "restoring the state", total);
            restore = running;
        }
        running.at(done);
        if (done == total) {
            running.close();
            restore = null;
        }
    }

    @Override
    public void onChoice(int id, float[] logits, int offset, int vocabulary) {
        if (chosen != null) {
            chosen.add(id, logits, offset, vocabulary);
        }
    }

    @Override
    public void onText(String text) {
        write(console.terminal().stdout() ? Text.printable(text) : text);
    }

    /** Writes a text of ours, control sequences included. */
    void write(String text) {
        String all = pending + text;
        pending = "";
        if (streams && !all.isEmpty()) {
            console.out(all);
            midLine = !all.endsWith("\n");
        }
    }

    /** Ends what is open and the line, so that what follows on standard error does not stand behind the text. */
    @Override
    public void close() {
        prefill.close();
        if (restore != null) {
            restore.close();
        }
        endLine();
    }

    private void endLine() {
        if (midLine && console.terminal().stdout()) {
            midLine = false;
            console.out("\n");
        }
    }
}
