package dev.tandem.runtime.plugin;

/** What became of one plugin. */
public enum PluginState {
    /** In use: its provider can be asked. */
    LOADED,
    /** It works, and one of the same id in a directory of higher rank took its place. */
    OVERRIDDEN,
    /** It breaks a rule for plugins, such as the version of the SPI or the ownership of an id. */
    REFUSED,
    /** Its own code failed while it was loaded. */
    FAILED
}
