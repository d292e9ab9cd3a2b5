package dev.tandem.runtime.plugin;

import dev.tandem.spi.backend.BackendProvider;
import dev.tandem.spi.draft.DraftProvider;

/** The kinds of provider that a plugin can offer. */
public enum ProviderKind {
    /** Runs graphs on a device. */
    BACKEND(BackendProvider.class, "backend"),
    /** Guesses tokens. */
    DRAFT(DraftProvider.class, "draft");

    private final Class<?> type;
    private final String label;

    ProviderKind(Class<?> type, String label) {
        this.type = type;
        this.label = label;
    }

    /** The service interface. */
    public Class<?> type() {
        return type;
    }

    /** A short name for people. */
    public String label() {
        return label;
    }

    String servicesFile() {
        return "META-INF/services/" + type.getName();
    }

    String idOf(Object provider) {
        return switch (this) {
            case BACKEND -> ((BackendProvider) provider).id();
            case DRAFT -> ((DraftProvider) provider).id();
        };
    }
}
