package dev.tandem.cli;

import dev.tandem.runtime.sampling.LogProbabilities;
import dev.tandem.runtime.tokenizer.Tokenizer;
import java.util.List;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Collects the log-probability of each chosen token and the likeliest beside it, by the model's own logits. */
final class ChosenLogProbabilities {
    private final Tokenizer tokenizer;
    private final int top;
    private final ArrayNode tokens = JsonNodeFactory.instance.arrayNode();

    /**
     * An empty collection.
     *
     * @param tokenizer tells the texts
     * @param top how many of the likeliest, at least 0
     */
    ChosenLogProbabilities(Tokenizer tokenizer, int top) {
        this.tokenizer = tokenizer;
        this.top = top;
    }

    /** Adds a choice. */
    void add(int id, float[] logits, int offset, int vocabulary) {
        ObjectNode token = tokens.addObject();
        put(token, id, LogProbabilities.of(logits, offset, vocabulary, id));
        List<LogProbabilities.Entry> likeliest = LogProbabilities.top(logits, offset, vocabulary, top);
        ArrayNode others = token.putArray("top");
        likeliest.forEach(entry -> put(others.addObject(), entry.id(), entry.logProbability()));
    }

    private void put(ObjectNode token, int id, float logProbability) {
        token.put("id", id).put("text", LogitsCommand.decoded(tokenizer, id));
        LogitsCommand.putFinite(token, "logprob", logProbability);
    }

    /** One object for each choice, in order. */
    ArrayNode json() {
        return tokens;
    }
}
