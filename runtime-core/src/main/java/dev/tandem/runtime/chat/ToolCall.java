package dev.tandem.runtime.chat;

/**
 * A model's wish to have a tool called.
 *
 * @param id by which the result refers to the call
 * @param name of the tool
 * @param arguments as JSON text, normally of an object
 */
public record ToolCall(String id, String name, String arguments) {}
