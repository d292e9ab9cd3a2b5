package dev.tandem.runtime.chat;

import java.util.Set;

/**
 * What a chat template can express, found by rendering small conversations.
 *
 * @param features what it can express
 * @param thinkingSwitches the variables by which thinking is switched; empty where it cannot be
 * @param argumentsAsText whether it wants a call's arguments as JSON text instead of an object
 * @param contentAsParts whether it wants a message's content as a list of parts instead of a text
 * @param reasoningKey under which it reads an answer's thoughts
 */
public record ChatCapabilities(
        Set<Feature> features,
        Set<String> thinkingSwitches,
        boolean argumentsAsText,
        boolean contentAsParts,
        String reasoningKey) {
    /** The key of the widespread chat API. */
    static final String USUAL_REASONING_KEY = "reasoning_content";

    /** Copies the sets. */
    public ChatCapabilities {
        features = Set.copyOf(features);
        thinkingSwitches = Set.copyOf(thinkingSwitches);
    }

    /** Something that a template can express. */
    public enum Feature {
        /** A system message appears in the prompt. */
        SYSTEM_ROLE,
        /** Tools that may be called appear. */
        TOOLS,
        /** A call that the model asked for appears. */
        TOOL_CALLS,
        /** A tool's result appears. */
        TOOL_RESULTS,
        /** Thoughts of earlier answers appear, at least of those since the user spoke last. */
        REASONING
    }

    /**
     * Whether the template can express something.
     *
     * @param feature the thing
     * @return whether it appeared in the prompt
     */
    public boolean has(Feature feature) {
        return features.contains(feature);
    }

    /**
     * Whether thinking can be switched on and off.
     *
     * @return whether a switch changes the prompt
     */
    public boolean thinkingCanBeSwitched() {
        return !thinkingSwitches.isEmpty();
    }
}
