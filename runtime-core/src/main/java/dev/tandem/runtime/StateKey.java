package dev.tandem.runtime;

import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.state.Sequence;
import dev.tandem.runtime.state.StateHeader;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.SpiVersion;
import dev.tandem.spi.UsageException;
import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.graph.Graph;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/**
 * What a saved state belongs to: the bytes of the model, the precision, the type of keys and values, and the graph. Devices,
 * threads and drafters are no part of it.
 *
 * @param file name of the model's file
 * @param modelDigest of its bytes
 * @param precision of the arithmetic
 * @param kvType of keys and values
 * @param graphDigest of the graph without taps, in which the context's length can make a difference
 * @param graph that graph
 * @param contextRows most rows of a sequence
 */
record StateKey(
        String file,
        String modelDigest,
        String precision,
        String kvType,
        String graphDigest,
        Graph graph,
        int contextRows) {
    private static final int SHOWN_DIGITS = 12;

    static StateKey of(GgufFile file, ModelOptions options, Graph graph, int contextRows) {
        return new StateKey(
                String.valueOf(Path.of(file.id().file()).getFileName()),
                file.digest(),
                name(options.precision()),
                options.effectiveKvType().name().toLowerCase(Locale.ROOT),
                sha256(graph.toString()),
                graph,
                contextRows);
    }

    private static String name(Precision precision) {
        return precision.name().toLowerCase(Locale.ROOT);
    }

    private static String sha256(String text) {
        try {
            return HexFormat.of()
                    .formatHex(MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    /** The header of a state of this model. */
    StateHeader header(int tokens, int chosen, int rows, int noteBytes, String mirostat) {
        return new StateHeader(
                file,
                modelDigest,
                precision,
                kvType,
                SpiVersion.CURRENT.toString(),
                graphDigest,
                contextRows,
                tokens,
                chosen,
                rows,
                Sequence.exportBytes(graph.states(), rows),
                noteBytes,
                mirostat);
    }

    /**
     * Makes sure that a state goes on with the same bits here.
     *
     * @param path its file, for messages
     * @throws UsageException where it is of another model, precision, type, version or context
     */
    void accept(Path path, StateHeader header) {
        if (!header.modelDigest().equals(modelDigest)) {
            boolean changed = header.model().equals(file);
            throw refused(
                    path,
                    "was saved with " + (changed ? "another content of " : "the model ") + header.model() + " ("
                            + shortened(header.modelDigest()) + "), but this is " + (changed ? "" : file + " ") + "("
                            + shortened(modelDigest) + ")",
                    "Load it with the model that saved it, or save a new one with this model.");
        }
        if (!header.precision().equals(precision) || !header.kvType().equals(kvType)) {
            throw refused(
                    path,
                    "was saved with precision " + header.precision() + " and " + header.kvType()
                            + " keys and values, but this run has precision " + precision + " and " + kvType,
                    "Add --precision " + header.precision() + " --kv " + header.kvType() + ", or save a new one.");
        }
        if (!header.spi().equals(SpiVersion.CURRENT.toString())) {
            throw refused(
                    path,
                    "was saved by a tandem of SPI " + header.spi() + ", but this one has " + SpiVersion.CURRENT,
                    "Load it with the version of tandem that saved it, or save a new one.");
        }
        if (!header.graphDigest().equals(graphDigest)) {
            throw refused(
                    path,
                    "was saved with a context of " + header.context() + " tokens, for which this model computes"
                            + " otherwise than for " + contextRows + ", or by another version of tandem",
                    "Add --ctx " + header.context() + ", or save a new one.");
        }
        if (header.tokens() > contextRows) {
            throw new UsageException(
                    ErrorCode.CONTEXT_FULL,
                    path + " holds " + header.tokens() + " tokens, but the context holds " + contextRows,
                    "Raise the context above that with --ctx.");
        }
        if (header.stateBytes() != Sequence.exportBytes(graph.states(), header.rows())) {
            throw refused(path, "is damaged: its state has a wrong size", "Save a new one with --save-state.");
        }
    }

    private static String shortened(String digest) {
        return digest.substring(0, Math.min(SHOWN_DIGITS, digest.length())) + "…";
    }

    private static UsageException refused(Path path, String why, String remedy) {
        return new UsageException(ErrorCode.BAD_ARGUMENT, path + " " + why, remedy);
    }
}
