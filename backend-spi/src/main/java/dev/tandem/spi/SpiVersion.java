package dev.tandem.spi;

/**
 * Version of the plugin contract, written {@code major.minor} in the {@code Spi-Version} line of a plugin's manifest.
 *
 * @param major plugins of another major are refused
 * @param minor plugins of a higher minor than the runtime's are refused
 */
public record SpiVersion(int major, int minor) implements Comparable<SpiVersion> {
    /** Name of the manifest attribute. */
    public static final String MANIFEST_ATTRIBUTE = "Spi-Version";

    /** The version of this contract. */
    public static final SpiVersion CURRENT = new SpiVersion(1, 0);

    /** Checks that both numbers are at least 0. */
    public SpiVersion {
        if (major < 0 || minor < 0) {
            throw new IllegalArgumentException("negative version " + major + "." + minor);
        }
    }

    /**
     * Reads {@code major.minor}.
     *
     * @param text as in a manifest
     * @return the version
     * @throws IllegalArgumentException where the text is anything else
     */
    public static SpiVersion parse(String text) {
        String trimmed = text.strip();
        if (!trimmed.matches("[0-9]{1,6}\\.[0-9]{1,6}")) {
            throw new IllegalArgumentException("'" + text + "' is not a version such as " + CURRENT);
        }
        int dot = trimmed.indexOf('.');
        return new SpiVersion(
                Integer.parseInt(trimmed.substring(0, dot)), Integer.parseInt(trimmed.substring(dot + 1)));
    }

    /**
     * Whether a runtime of this version can load a plugin built for another.
     *
     * @param plugin the version that the plugin states
     * @return true for the same major and a minor not above this one
     */
    public boolean accepts(SpiVersion plugin) {
        return plugin.major == major && plugin.minor <= minor;
    }

    @Override
    public int compareTo(SpiVersion other) {
        return major != other.major ? Integer.compare(major, other.major) : Integer.compare(minor, other.minor);
    }

    @Override
    public String toString() {
        return major + "." + minor;
    }
}
