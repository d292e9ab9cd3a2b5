package dev.tandem.drafts.dflash;

import dev.tandem.spi.model.ModelView;
import java.util.Locale;
import java.util.Optional;

/** How a converter writes keys. Tensor names differ too, but each role's names are never used for another role. */
enum Dialect {
    /** Architecture {@code dflash}; a tap is the layer's index plus 1, that is, the layer whose input it is. */
    SHIFTED {
        @Override
        String key(String architecture, String name) {
            return architecture + "." + name;
        }
    },
    /** Architectures ending in {@code dflash-draft}; own keys in a group of their own, taps as they are. */
    UNSHIFTED {
        @Override
        String key(String architecture, String name) {
            return architecture + ".dflash." + name;
        }
    };

    /** Full name of a key of the drafting method; those of every model have the plain form. */
    abstract String key(String architecture, String name);

    /** The dialect that a file's architecture tells. */
    static Optional<Dialect> of(ModelView file) {
        String architecture = file.architecture().toLowerCase(Locale.ROOT);
        if (architecture.equals("dflash")) {
            return Optional.of(SHIFTED);
        }
        return architecture.endsWith("dflash-draft") ? Optional.of(UNSHIFTED) : Optional.empty();
    }
}
