package dev.tandem.cli;

/** The environment variables that this program and its launcher read. */
enum Variables {
    TANDEM_CONFIG("the file of defaults; 'tandem config' shows it"),
    TANDEM_MODELS("more model folders, separated as in PATH"),
    TANDEM_PLUGINS("more plugin folders, absolute, separated as in PATH"),
    TANDEM_JAVA_HOME("the Java to run on (25 or newer)"),
    TANDEM_JAVA_OPTS("more options for Java, such as -Xmx8g"),
    NO_COLOR("no colours");

    private final String meaning;

    Variables(String meaning) {
        this.meaning = meaning;
    }

    /** A few words for the help page. */
    String meaning() {
        return meaning;
    }
}
