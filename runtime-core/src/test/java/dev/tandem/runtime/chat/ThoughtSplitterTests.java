package dev.tandem.runtime.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ThoughtSplitterTests {
    private static final ThoughtMarks CHANNELS =
            new ThoughtMarks("<|ch|>analysis<|m|>", "<|end|><|ch|>final<|m|>", "<|ch|>final<|m|>");

    private static final class Parts implements ThoughtSplitter.Sink {
        final StringBuilder thought = new StringBuilder();
        final StringBuilder answer = new StringBuilder();

        @Override
        public void onThought(String text) {
            assertEquals("", answer.toString(), "a thought after the answer");
            thought.append(text);
        }

        @Override
        public void onAnswer(String text) {
            answer.append(text);
        }
    }

    private static void assertSplit(ThoughtMarks marks, String prompt, String text, String thought, String answer) {
        for (int first = 0; first <= text.length(); first++) {
            for (int second = first; second <= text.length(); second++) {
                Parts parts = new Parts();
                ThoughtSplitter splitter = new ThoughtSplitter(marks, prompt, parts);
                splitter.accept(text.substring(0, first));
                splitter.accept(text.substring(first, second));
                splitter.accept(text.substring(second));
                splitter.finish();
                String cut = "cut at " + first + " and " + second;
                assertEquals(thought, parts.thought.toString(), cut);
                assertEquals(answer, parts.answer.toString(), cut);
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "<think>^a b^</think>^^c d, a b, c d",
        "^<think>^^</think>^^c, '', c",
        "plain, '', plain",
        "<thin ice, '', <thin ice",
        "<think>a < b </ c^^d</think>e, a < b </ c^^d, e",
        "<think>never ended, never ended, ''",
        "<think>half </thi, half </thi, ''",
        "say <think>x</think> aloud, '', say <think>x</think> aloud",
        "<think>a</think>b</think>c, a, b</think>c"
    })
    void partsThoughtsFromTheAnswerHoweverTheStreamIsCut(String text, String thought, String answer) {
        assertSplit(ThoughtMarks.USUAL, "user: x", lines(text), lines(thought), lines(answer));
    }

    private static String lines(String text) {
        return text.replace('^', '\n');
    }

    @Test
    void keepsTheWhiteSpaceOfAnAnswerWithoutThoughts() {
        assertSplit(ThoughtMarks.USUAL, "", "  a\n ", "", "  a\n ");
    }

    @Test
    void beginsWithThoughtsWhereThePromptOpenedThem() {
        assertSplit(ThoughtMarks.USUAL, "assistant\n<think>\n", "hm\n</think>\n\nyes", "hm", "yes");
        assertSplit(ThoughtMarks.USUAL, "assistant\n<think>\n\n</think>\n\n", "yes", "", "yes");
    }

    @Test
    void knowsMarksOfSeveralWords() {
        assertSplit(CHANNELS, "", "<|ch|>analysis<|m|>hm<|end|><|ch|>final<|m|>yes", "hm", "yes");
        assertSplit(CHANNELS, "", "<|ch|>final<|m|>yes", "", "yes");
        assertSplit(CHANNELS, "", "<|ch|>other", "", "<|ch|>other");
    }
}
