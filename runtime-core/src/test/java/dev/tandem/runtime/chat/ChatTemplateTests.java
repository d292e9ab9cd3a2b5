package dev.tandem.runtime.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.Golden;
import dev.tandem.runtime.chat.ChatCapabilities.Feature;
import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.runtime.tokenizer.Tokenizers;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.UsageException;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class ChatTemplateTests {
    private static final Clock CLOCK = Clock.fixed(Instant.parse("2026-11-30T12:34:56Z"), ZoneOffset.UTC);
    private static final String SIMPLE =
            "{{ bos_token }}{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor %}"
                    + "{% if add_generation_prompt %}<assistant>{% endif %}";

    private static ChatTemplate template(String source) {
        return ChatTemplate.of("chat template", source, "<s>", "</s>", CLOCK);
    }

    @Test
    void rendersMessagesInOrder() {
        String prompt = template(SIMPLE)
                .render(List.of(ChatMessage.system("be"), ChatMessage.user("hi")), ChatOptions.defaults());
        assertEquals("<s><system>be<user>hi<assistant>", prompt);
        assertTrue(template(SIMPLE).beginsWithBos(prompt));
    }

    @Test
    void leavesTheAnswerOutWhereNoneIsWanted() {
        assertEquals(
                "<s><user>hi",
                template(SIMPLE)
                        .render(
                                List.of(ChatMessage.user("hi")),
                                ChatOptions.defaults().withGenerationPrompt(false)));
    }

    @Test
    void findsThatATemplateIgnoresTools() {
        ChatCapabilities can = template(SIMPLE).capabilities(ChatOptions.defaults());
        assertEquals(Set.of(Feature.SYSTEM_ROLE, Feature.TOOL_RESULTS), can.features());
        assertFalse(can.thinkingCanBeSwitched());
        assertFalse(can.argumentsAsText());
        assertFalse(can.contentAsParts());
    }

    @Test
    void givesThoughtsUnderTheKeyThatATemplateReads() {
        for (String key : List.of("reasoning_content", "thinking", "reasoning")) {
            ChatTemplate template = template("{% for m in messages %}{% if m." + key + " %}<t>{{ m." + key
                    + " }}</t>{% endif %}{{ m.content }}{% endfor %}");
            assertTrue(template.capabilities(ChatOptions.defaults()).has(Feature.REASONING), key);
            assertEquals(
                    "q<t>hm</t>a",
                    template.render(
                            List.of(ChatMessage.user("q"), ChatMessage.assistant("a", "hm")), ChatOptions.defaults()));
            assertEquals(new ThoughtMarks("<t>", "</t>", ""), ThoughtMarks.of(template));
        }
        String both = "{% for m in messages %}{{ m.thinking }}{{ m.reasoning_content }}{{ m.content }}{% endfor %}";
        assertEquals(
                "hma",
                template(both).render(List.of(ChatMessage.assistant("a", "hm")), ChatOptions.defaults()),
                "not twice");
    }

    @Test
    void findsThatATemplateRefusesSystemMessages() {
        ChatTemplate template = template("{% for m in messages %}{% if m.role == 'system' %}"
                + "{{ raise_exception('no system') }}{% endif %}{{ m.content }}{% endfor %}");
        assertFalse(template.capabilities(ChatOptions.defaults()).has(Feature.SYSTEM_ROLE));
        UsageException error = assertThrows(
                UsageException.class, () -> template.render(List.of(ChatMessage.system("x")), ChatOptions.defaults()));
        assertTrue(error.getMessage().contains("no system"), error.getMessage());
    }

    @Test
    void givesContentAsPartsWhereTheTemplateWantsParts() {
        ChatTemplate template =
                template("{% for m in messages %}{% for p in m.content %}{{ p.text }}{% endfor %};{% endfor %}");
        assertTrue(template.capabilities(ChatOptions.defaults()).contentAsParts());
        assertEquals("hi;", template.render(List.of(ChatMessage.user("hi")), ChatOptions.defaults()));
    }

    @Test
    void givesArgumentsAsTextWhereTheTemplateWantsText() {
        String call = "{% for m in messages %}{% for c in m.tool_calls or [] %}{{ ARGUMENTS }}{% endfor %}{% endfor %}";
        List<ChatMessage> messages = List.of(
                ChatMessage.user("u"), ChatMessage.toolCalls("", List.of(new ToolCall("1", "f", "{\"a\": 1}"))));
        ChatTemplate text = template(call.replace("ARGUMENTS", "'' + c.function.arguments"));
        assertTrue(text.capabilities(ChatOptions.defaults()).argumentsAsText());
        assertEquals("{\"a\": 1}", text.render(messages, ChatOptions.defaults()));
        ChatTemplate object = template(call.replace("ARGUMENTS", "c.function.arguments | tojson"));
        assertFalse(object.capabilities(ChatOptions.defaults()).argumentsAsText());
        assertEquals("{\"a\": 1}", object.render(messages, ChatOptions.defaults()));
    }

    @Test
    void passesArgumentsThatAreNoJsonAsText() {
        ChatTemplate template = template(
                "{% for m in messages %}{% for c in m.tool_calls or [] %}{{ c.function.arguments }}{% endfor %}"
                        + "{% endfor %}");
        ToolCall call = new ToolCall("1", "f", "{broken");
        assertEquals(
                "{broken", template.render(List.of(ChatMessage.toolCalls("", List.of(call))), ChatOptions.defaults()));
    }

    @Test
    void switchesThinkingByTheVariableThatTheTemplateReads() {
        ChatTemplate template = template("{{ messages[0].content }}{% if thinking %}<think>{% endif %}");
        assertEquals(
                Set.of("thinking"),
                template.capabilities(ChatOptions.defaults()).thinkingSwitches());
        List<ChatMessage> messages = List.of(ChatMessage.user("u"));
        assertEquals(
                "u<think>", template.render(messages, ChatOptions.defaults().withThinking(true)));
        assertEquals("u", template.render(messages, ChatOptions.defaults().withThinking(false)));
        assertEquals("u", template.render(messages, ChatOptions.defaults()));
    }

    @Test
    void readsTheDateFromTheClock() {
        assertEquals(
                "30 Nov 2026", template("{{ strftime_now('%d %b %Y') }}").render(List.of(), ChatOptions.defaults()));
    }

    @Test
    void keepsToolsInTheirOrder() {
        Map<String, Object> tool = Map.of("name", "t");
        assertEquals(
                "[{\"name\": \"t\"}]",
                template("{{ tools | tojson }}")
                        .render(List.of(), ChatOptions.defaults().withTools(List.of(tool))));
        assertEquals("False", template("{{ tools is defined }}").render(List.of(), ChatOptions.defaults()));
    }

    @Test
    void readsTheTemplateOfAModelFile() {
        try (GgufFile file = GgufFile.open(Golden.shared("models/sprig-java-31m-q8_0.gguf"))) {
            ChatTemplate template =
                    ChatTemplate.of(file, Tokenizers.from(file), CLOCK).orElseThrow();
            assertEquals(Set.of("default"), template.names());
            assertEquals(
                    "<|im_start|>user\nhi<|im_end|>\n<|im_start|>assistant\n",
                    template.render(List.of(ChatMessage.user("hi")), ChatOptions.defaults()));
        }
    }

    @Test
    void refusesATemplateThatIsNoTemplate() {
        ModelFileException error = assertThrows(ModelFileException.class, () -> template("{% if %}"));
        assertTrue(error.getMessage().startsWith("chat template, line 1, column 7"), error.getMessage());
    }

    @Test
    void continuesATranscriptWithWhatIsNew() {
        ChatTranscript transcript = new ChatTranscript();
        List<ChatMessage> first = List.of(ChatMessage.user("a"));
        assertEquals(
                new PromptDelta(0, "<s><user>a<assistant>"),
                transcript.next(template(SIMPLE).render(first, ChatOptions.defaults())));
        transcript.answered("b");
        List<ChatMessage> second = List.of(ChatMessage.user("a"), ChatMessage.assistant("b"), ChatMessage.user("c"));
        PromptDelta delta = transcript.next(template(SIMPLE).render(second, ChatOptions.defaults()));
        assertEquals(new PromptDelta("<s><user>a<assistant>b".length(), "<user>c<assistant>"), delta);
    }

    @Test
    void dropsWhatATemplateTakesBack() {
        assertEquals(new PromptDelta(1, "c"), PromptDelta.between("a<think>x</think>b", "ac"));
        assertEquals(new PromptDelta(1, ""), PromptDelta.between("abc", "a"));
        assertEquals(new PromptDelta(0, "😁"), PromptDelta.between("😀", "😁"));
    }
}
