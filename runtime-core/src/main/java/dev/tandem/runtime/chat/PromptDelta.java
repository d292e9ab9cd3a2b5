package dev.tandem.runtime.chat;

/**
 * How one text becomes another by dropping an end and adding another.
 *
 * @param keptCharacters how much of the old text's beginning stays
 * @param appended what follows it in the new text
 */
public record PromptDelta(int keptCharacters, String appended) {
    /**
     * Compares two texts.
     *
     * @param before the old one
     * @param after the new one
     * @return the longest common beginning, which splits no character, and the rest
     */
    public static PromptDelta between(String before, String after) {
        int most = Math.min(before.length(), after.length());
        int kept = 0;
        while (kept < most && before.charAt(kept) == after.charAt(kept)) {
            kept++;
        }
        if (kept > 0 && kept < after.length() && Character.isHighSurrogate(after.charAt(kept - 1))) {
            kept--;
        }
        return new PromptDelta(kept, after.substring(kept));
    }
}
