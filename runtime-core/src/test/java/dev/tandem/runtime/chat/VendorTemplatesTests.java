package dev.tandem.runtime.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.Golden;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Vendors' templates give the text that an independent engine gives. */
class VendorTemplatesTests {
    /** Renderings that the other engine makes by itself instead of by the template. */
    private static final Set<String> EXCLUDED = Set.of(
            "google-gemma-2-2b-it.jinja sys",
            "google-gemma-2-2b-it.jinja tools",
            "google-gemma-2-2b-it.jinja toolcall",
            "google-gemma-4-31B-it-interleaved.jinja toolcall",
            "deepseek-ai-DeepSeek-V4.jinja nosys",
            "deepseek-ai-DeepSeek-V4.jinja sys",
            "deepseek-ai-DeepSeek-V4-Flash-0731.jinja nosys",
            "deepseek-ai-DeepSeek-V4-Flash-0731.jinja sys");

    /** Vectors made with thinking off. */
    private static final Set<String> WITHOUT_THINKING = Set.of("Apertus-8B-Instruct.jinja");

    /** The day on which the vectors were made. */
    private static final LocalDate DAY = LocalDate.of(2026, 11, 30);

    private static final Clock CLOCK = Clock.fixed(DAY.atTime(12, 0).toInstant(ZoneOffset.UTC), ZoneOffset.UTC);

    private static JsonNode vectors() throws IOException {
        return JsonMapper.shared().readTree(Files.readString(Golden.shared("chat-templates/vectors.json")));
    }

    private static ChatTemplate template(String file, JsonNode vectors) throws IOException {
        Path path = Golden.shared("chat-templates").resolve(file);
        return ChatTemplate.of(
                "chat template",
                Files.readString(path),
                vectors.get("bos").asString(),
                vectors.get("eos").asString(),
                CLOCK);
    }

    @TestFactory
    Stream<DynamicTest> givesTheSameTextAsAnotherEngine() throws IOException {
        JsonNode vectors = vectors();
        List<DynamicTest> tests = new ArrayList<>();
        for (String file : vectors.get("results").propertyNames()) {
            ChatTemplate template = template(file, vectors);
            JsonNode results = vectors.get("results").get(file);
            for (String name : results.propertyNames()) {
                if (!EXCLUDED.contains(file + " " + name)) {
                    String expected = results.get(name).get("prompt").asString();
                    JsonNode conversation = vectors.get("cases").get(name);
                    tests.add(DynamicTest.dynamicTest(
                            file + " " + name, () -> assertEquals(expected, render(file, template, conversation))));
                }
            }
        }
        assertEquals(180, tests.size(), "47 templates with 4 conversations, less the 8 excluded");
        return tests.stream();
    }

    private static String render(String file, ChatTemplate template, JsonNode conversation) {
        ChatOptions options = ChatOptions.defaults()
                .withVariable("enable_thinking", !WITHOUT_THINKING.contains(file))
                .withTools(tools(conversation));
        if (file.equals("meta-llama-Llama-3.3-70B-Instruct.jinja")) {
            options = options.withVariable("date_string", "30 Nov 2026");
        }
        String prompt = template.render(messages(conversation), options);
        return template.beginsWithBos(prompt) ? prompt.substring("<s>".length()) : prompt;
    }

    @SuppressWarnings("unchecked")
    private static List<Map<String, Object>> tools(JsonNode conversation) {
        return conversation.has("tools")
                ? JsonMapper.shared().convertValue(conversation.get("tools"), List.class)
                : List.of();
    }

    private static List<ChatMessage> messages(JsonNode conversation) {
        List<ChatMessage> messages = new ArrayList<>();
        for (JsonNode message : conversation.get("messages")) {
            List<ToolCall> calls = new ArrayList<>();
            for (JsonNode call : message.path("tool_calls")) {
                JsonNode function = call.get("function");
                calls.add(new ToolCall(
                        call.get("id").asString(),
                        function.get("name").asString(),
                        function.get("arguments").asString()));
            }
            messages.add(new ChatMessage(
                    message.get("role").asString(),
                    message.get("content").asString(),
                    Optional.empty(),
                    calls,
                    message.has("tool_call_id")
                            ? Optional.of(message.get("tool_call_id").asString())
                            : Optional.empty(),
                    message.has("name") ? Optional.of(message.get("name").asString()) : Optional.empty()));
        }
        return messages;
    }

    @Test
    void findsWhatWellKnownTemplatesCanDo() throws IOException {
        JsonNode vectors = vectors();
        Set<String> textArguments = new TreeSet<>();
        for (String file : vectors.get("results").propertyNames()) {
            ChatCapabilities can = template(file, vectors).capabilities(ChatOptions.defaults());
            if (can.argumentsAsText()) {
                textArguments.add(file);
            }
        }
        assertEquals(Set.of("meetkai-functionary-medium-v3.2.jinja"), textArguments);
        ChatCapabilities gemma = template("google-gemma-2-2b-it.jinja", vectors).capabilities(ChatOptions.defaults());
        assertEquals(Set.of(), gemma.features());
        assertFalse(gemma.thinkingCanBeSwitched());
        ChatCapabilities qwen = template("Qwen3.5-4B.jinja", vectors).capabilities(ChatOptions.defaults());
        assertEquals(Set.of(ChatCapabilities.Feature.values()), qwen.features());
        assertEquals(Set.of("enable_thinking"), qwen.thinkingSwitches());
        assertTrue(template("deepseek-ai-DeepSeek-V3.1.jinja", vectors)
                .capabilities(ChatOptions.defaults())
                .thinkingSwitches()
                .contains("thinking"));
    }

    @Test
    void findsWhatStandsAroundThoughts() throws IOException {
        JsonNode vectors = vectors();
        assertEquals(
                "<|channel|>analysis<|message|>",
                marks("openai-gpt-oss-120b.jinja", vectors).open());
        assertEquals(ThoughtMarks.USUAL, marks("google-gemma-2-2b-it.jinja", vectors));
        assertEquals(ThoughtMarks.USUAL, marks("Qwen3.5-4B.jinja", vectors));
        assertEquals(ThoughtMarks.USUAL, marks("deepseek-ai-DeepSeek-V3.1.jinja", vectors));
        assertEquals(new ThoughtMarks("<seed:think>", "</seed:think>", ""), marks("ByteDance-Seed-OSS.jinja", vectors));
        assertEquals(
                new ThoughtMarks("<|START_THINKING|>", "<|END_THINKING|><|START_TEXT|>", "<|START_TEXT|>"),
                marks("Cohere2MoE.jinja", vectors));
    }

    private static ThoughtMarks marks(String file, JsonNode vectors) throws IOException {
        return ThoughtMarks.of(template(file, vectors));
    }
}
