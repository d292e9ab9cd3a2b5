package dev.tandem.cli;

import dev.tandem.runtime.plugin.PluginDirectory;
import dev.tandem.runtime.plugin.PluginEntry;
import dev.tandem.runtime.plugin.PluginOrigin;
import dev.tandem.runtime.plugin.ProviderKind;
import dev.tandem.runtime.select.BackendChoice;
import dev.tandem.spi.Availability;
import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.SpiVersion;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A diagnosis for programs. */
final class DoctorJson {
    private DoctorJson() {}

    /** The whole report. */
    static ObjectNode render(Diagnosis diagnosis) {
        ObjectNode report = Json.object();
        report.put("version", Version.build());
        report.put("spi", SpiVersion.CURRENT.toString());
        report.put("java", Version.java());
        report.put("system", Version.system());
        report.put("processors", Runtime.getRuntime().availableProcessors());
        report.put("vector_module", diagnosis.vectorModule());
        ArrayNode directories = report.putArray("plugin_directories");
        for (PluginDirectory directory : diagnosis.report().directories()) {
            directories
                    .addObject()
                    .put("path", directory.path().toString())
                    .put("source", directory.source().label());
        }
        report.set("notices", Json.texts(diagnosis.report().notices()));
        ArrayNode plugins = report.putArray("plugins");
        for (PluginEntry entry : diagnosis.report().entries()) {
            putPlugin(plugins.addObject(), diagnosis, entry);
        }
        putChoice(report.putObject("auto"), diagnosis);
        putText(report, "model_directory", diagnosis.installation().models().map(Path::toString));
        ArrayNode models = report.putArray("models");
        for (Diagnosis.ModelFile model : diagnosis.models()) {
            models.addObject().put("path", model.path().toString()).put("bytes", model.bytes());
        }
        return report;
    }

    private static void putPlugin(ObjectNode target, Diagnosis diagnosis, PluginEntry entry) {
        PluginOrigin origin = entry.origin();
        putText(target, "id", entry.id());
        putText(target, "kind", entry.kind().map(ProviderKind::label));
        target.put("state", diagnosis.state(entry));
        target.put("source", origin.source().label());
        putText(target, "jar", origin.jar().or(origin::entry).map(Path::toString));
        putText(target, "version", origin.version());
        putText(target, "spi", origin.spiVersion().map(SpiVersion::toString));
        entry.problem().ifPresent(problem -> putProblem(target, problem.reason(), problem.remedy()));
        diagnosis.availability(entry).ifPresent(availability -> {
            switch (availability) {
                case Availability.Available available -> putDevices(target.putArray("devices"), available);
                case Availability.Unavailable why -> putProblem(target, why.detail(), why.remedy());
            }
        });
    }

    private static void putDevices(ArrayNode devices, Availability.Available available) {
        for (DeviceInfo device : available.devices()) {
            ObjectNode entry = devices.addObject();
            entry.put("id", device.id());
            entry.put("name", device.name());
            entry.put("kind", device.kind().name().toLowerCase(Locale.ROOT));
            entry.put("total_bytes", device.totalBytes());
            entry.put("free_bytes", device.freeBytes());
            entry.put("driver", device.driver());
            entry.set("notices", Json.texts(device.notices()));
        }
    }

    private static void putChoice(ObjectNode target, Diagnosis diagnosis) {
        putText(
                target,
                "backend",
                diagnosis.choice().map(choice -> choice.backend().id()));
        putText(
                target,
                "device",
                diagnosis.choice().map(choice -> choice.device().id()));
        putText(target, "line", diagnosis.choice().map(BackendChoice::line));
        diagnosis.choice().ifPresent(choice -> target.set("ranking", Json.texts(choice.ranking())));
        diagnosis
                .whyNone()
                .ifPresent(failure -> putProblem(target, String.valueOf(failure.getMessage()), failure.remedy()));
    }

    private static void putProblem(ObjectNode target, String reason, String remedy) {
        target.put("reason", reason).put("remedy", remedy);
    }

    private static void putText(ObjectNode target, String name, Optional<String> value) {
        if (value.isPresent()) {
            target.put(name, value.get());
        } else {
            target.putNull(name);
        }
    }
}
