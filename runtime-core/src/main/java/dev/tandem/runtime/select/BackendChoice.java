package dev.tandem.runtime.select;

import dev.tandem.runtime.plugin.LoadedProvider;
import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.backend.BackendProvider;
import java.util.List;

/**
 * The backend and device to use, and why.
 *
 * @param backend the provider to open
 * @param device the device to open it on
 * @param line one line for people, such as {@code backend: cpu (cuda: libcuda.so.1: cannot open shared object file. Install
 *     the NVIDIA driver; see 'tandem doctor')}
 * @param ranking one line for each candidate, the best first, then those that cannot run
 * @param notes what the user should know besides: an alias that was taken, memory that may not suffice
 */
public record BackendChoice(
        LoadedProvider<BackendProvider> backend,
        DeviceInfo device,
        String line,
        List<String> ranking,
        List<String> notes) {
    /** Copies the lists. */
    public BackendChoice {
        ranking = List.copyOf(ranking);
        notes = List.copyOf(notes);
    }
}
