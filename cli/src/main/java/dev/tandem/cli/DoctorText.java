package dev.tandem.cli;

import dev.tandem.runtime.plugin.PluginDirectories;
import dev.tandem.runtime.plugin.PluginDirectory;
import dev.tandem.runtime.plugin.PluginEntry;
import dev.tandem.runtime.plugin.PluginOrigin;
import dev.tandem.runtime.plugin.PluginSource;
import dev.tandem.runtime.plugin.ProviderKind;
import dev.tandem.spi.Availability;
import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.SpiVersion;
import java.nio.file.Path;
import java.util.Locale;

/** A diagnosis for people. */
final class DoctorText {
    private static final int INDENT = 2;
    private static final int DETAIL_INDENT = 4;
    private static final String REMEDY = "-> ";

    private final Diagnosis diagnosis;
    private final int columns;
    private final StringBuilder text = new StringBuilder();

    DoctorText(Diagnosis diagnosis, int columns) {
        this.diagnosis = diagnosis;
        this.columns = columns;
    }

    /** The whole report. */
    String render() {
        system();
        directories();
        plugins();
        choice();
        models();
        return text.toString();
    }

    private void title(String title) {
        text.append(text.isEmpty() ? "" : "\n").append(title).append('\n');
    }

    private void line(int indent, String line) {
        text.append(Text.indented(Text.oneLine(line), indent, columns));
    }

    private void system() {
        title("system");
        line(INDENT, "tandem " + Version.build() + ", SPI " + SpiVersion.CURRENT);
        line(INDENT, "Java " + Version.java());
        line(
                INDENT,
                Version.system() + ", " + processors() + ", Java heap up to "
                        + Text.bytes(Runtime.getRuntime().maxMemory()));
        if (diagnosis.vectorModule()) {
            line(INDENT, "module " + Diagnosis.VECTOR_MODULE + " is there");
        } else {
            line(INDENT, "module " + Diagnosis.VECTOR_MODULE + " is missing: the CPU computes many times slower");
            line(
                    DETAIL_INDENT,
                    REMEDY + "start the tandem script, or java with --add-modules " + Diagnosis.VECTOR_MODULE);
        }
    }

    private static String processors() {
        return Text.plural(Runtime.getRuntime().availableProcessors(), "processor");
    }

    private void directories() {
        title("plugin folders, the first one wins");
        for (PluginDirectory directory : diagnosis.report().directories()) {
            line(INDENT, directory.path() + " (" + directory.source().label() + ")");
        }
        if (diagnosis.report().directories().isEmpty()) {
            line(INDENT, "none exists");
            String place = diagnosis
                    .installation()
                    .home()
                    .map(home -> home.resolve("plugins").toString())
                    .orElse("a folder");
            line(
                    DETAIL_INDENT,
                    REMEDY + "to add a plugin, put its jar into " + place + ", or name a folder with --plugins" + " or "
                            + PluginDirectories.VARIABLE);
        }
        diagnosis.report().notices().forEach(notice -> line(INDENT, notice));
    }

    private void plugins() {
        title("plugins");
        for (PluginEntry entry : diagnosis.report().entries()) {
            plugin(entry);
        }
    }

    private void plugin(PluginEntry entry) {
        String name = entry.id().orElse("(no id)");
        String kind = entry.kind().map(ProviderKind::label).orElse("plugin");
        line(INDENT, name + ": " + kind + ", " + diagnosis.state(entry));
        line(DETAIL_INDENT, origin(entry.origin()));
        entry.problem().ifPresent(problem -> {
            line(DETAIL_INDENT, problem.reason());
            line(DETAIL_INDENT, REMEDY + problem.remedy());
        });
        diagnosis.availability(entry).ifPresent(this::availability);
    }

    private static String origin(PluginOrigin origin) {
        String place = origin.source() == PluginSource.APPLICATION
                ? "built in"
                : origin.jar()
                        .or(origin::entry)
                        .map(Path::toString)
                        .orElse(origin.source().label());
        String version = origin.version().map(v -> ", version " + v).orElse("");
        String spi = origin.spiVersion().map(v -> ", SPI " + v).orElse("");
        return place + version + spi;
    }

    private void availability(Availability availability) {
        switch (availability) {
            case Availability.Available available -> available.devices().forEach(this::device);
            case Availability.Unavailable why -> {
                line(
                        DETAIL_INDENT,
                        why.reason().name().toLowerCase(Locale.ROOT).replace('_', ' ') + ": " + why.detail());
                line(DETAIL_INDENT, REMEDY + why.remedy());
            }
        }
    }

    private void device(DeviceInfo device) {
        String memory = device.totalBytes() < 0 ? "" : ", " + Text.bytes(device.totalBytes());
        String free = device.freeBytes() < 0 ? "" : ", " + Text.bytes(device.freeBytes()) + " free";
        line(
                DETAIL_INDENT,
                "device " + device.id() + ": " + device.name() + ", "
                        + device.kind().name().toLowerCase(Locale.ROOT) + memory + free + ", " + device.driver());
        device.notices().forEach(notice -> line(DETAIL_INDENT + INDENT, notice));
    }

    private void choice() {
        title("what --backend auto takes");
        diagnosis.choice().ifPresent(choice -> {
            line(INDENT, choice.backend().id() + ", device " + choice.device().id());
            choice.ranking().forEach(candidate -> line(DETAIL_INDENT, candidate));
            choice.notes().forEach(note -> line(DETAIL_INDENT, note));
        });
        diagnosis.whyNone().ifPresent(failure -> {
            line(INDENT, String.valueOf(failure.getMessage()));
            line(DETAIL_INDENT, REMEDY + failure.remedy());
        });
    }

    private void models() {
        title("models");
        for (Path folder : diagnosis.modelFolders().folders()) {
            line(INDENT, folder.toString());
            diagnosis.models().stream()
                    .filter(model -> folder.equals(model.path().getParent()))
                    .forEach(model ->
                            line(DETAIL_INDENT, model.path().getFileName() + ", " + Text.bytes(model.bytes())));
        }
        if (diagnosis.models().isEmpty()) {
            line(INDENT, "no GGUF file in a model folder");
            line(DETAIL_INDENT, REMEDY + "name one with --model FILE");
        }
    }
}
