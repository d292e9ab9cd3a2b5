package dev.tandem.runtime.plugin;

/** Where a plugin was found, in falling rank; the application class path stands outside the ranking. */
public enum PluginSource {
    /** The engine's own class path: built in, cannot be removed or overridden. */
    APPLICATION("built in"),
    /** A directory given with {@code --plugins}. */
    OPTION("--plugins"),
    /** A directory named by the environment variable. */
    ENVIRONMENT("TANDEM_PLUGINS"),
    /** The {@code plugins} directory of the installation. */
    INSTALLATION("installation"),
    /** The user's own data directory. */
    USER_DATA("user data");

    private final String label;

    PluginSource(String label) {
        this.label = label;
    }

    /** A short name for people. */
    public String label() {
        return label;
    }
}
