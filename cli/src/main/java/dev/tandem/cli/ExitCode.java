package dev.tandem.cli;

import dev.tandem.spi.DeviceException;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.InferenceException;
import dev.tandem.spi.ModelFileException;
import dev.tandem.spi.PluginException;
import dev.tandem.spi.UsageException;

/** The exit codes of every command, as {@code tandem --help} lists them. */
enum ExitCode {
    /** The command did what was asked. */
    OK(0, "success"),
    /** A fault of this program. */
    FAULT(1, "a fault of tandem; please report it"),
    /** The command line or the prompt cannot be used. */
    USAGE(2, "wrong usage: an option, a value or the prompt"),
    /** The model file cannot be used. */
    MODEL(3, "the model file cannot be used"),
    /** A plugin or backend cannot be used. */
    PLUGIN(4, "a plugin or backend cannot be used"),
    /** The device failed or has no room. */
    DEVICE(5, "the device failed or has no room"),
    /** A result could not be written. */
    OUTPUT(6, "the output could not be written"),
    /** Stopped by Ctrl-C; what a shell reports for a process that an interrupt ended. */
    INTERRUPTED(130, "interrupted (Ctrl-C)"),
    /** The reader of a pipe went away; what a shell reports for a process that a closed pipe ended. */
    CLOSED_PIPE(141, "the reader of the output went away");

    private final int number;
    private final String meaning;

    ExitCode(int number, String meaning) {
        this.number = number;
        this.meaning = meaning;
    }

    /** What the process returns. */
    int number() {
        return number;
    }

    /** A few words for the help page. */
    String meaning() {
        return meaning;
    }

    /** The exit code of an expected failure: who has to act decides, and what failed where nobody has to. */
    static ExitCode of(InferenceException failure) {
        if (failure.code() == ErrorCode.OUTPUT_FAILED) {
            return OUTPUT;
        }
        if (failure.code() == ErrorCode.CANCELLED) {
            return INTERRUPTED;
        }
        return switch (failure) {
            case UsageException usage -> USAGE;
            case ModelFileException model -> MODEL;
            case PluginException plugin -> PLUGIN;
            case DeviceException device -> DEVICE;
        };
    }
}
