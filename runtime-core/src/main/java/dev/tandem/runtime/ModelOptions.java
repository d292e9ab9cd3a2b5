package dev.tandem.runtime;

import dev.tandem.spi.backend.Precision;
import dev.tandem.spi.model.DType;
import java.util.Optional;
import java.util.function.LongConsumer;

/**
 * How to load a model.
 *
 * @param backend id of a backend, or {@code auto}
 * @param device id of a device of that backend; empty for its first
 * @param threads host threads for computing; 0 for all processors
 * @param contextRows most positions of a sequence; 0 for the model's own context
 * @param stepRows most rows of a step: the prompt is run in pieces of this size
 * @param precision of the arithmetic
 * @param kvType element type of keys and values; empty for f16 in FAST and f32 in REFERENCE
 * @param onDeviceFailure what happens when the device is lost in the middle
 * @param bytesLoaded hears the bytes of weights read so far
 */
public record ModelOptions(
        String backend,
        Optional<String> device,
        int threads,
        int contextRows,
        int stepRows,
        Precision precision,
        Optional<DType> kvType,
        DeviceFailure onDeviceFailure,
        LongConsumer bytesLoaded) {
    /** Rows of a step unless chosen otherwise. */
    public static final int DEFAULT_STEP_ROWS = 256;

    /** What happens when the device is lost in the middle of a generation. */
    public enum DeviceFailure {
        /** The generation ends with the device's error. */
        STOP,
        /** The session moves to the host's processor, which takes time; the tokens stay the same. */
        CPU
    }

    /** The best backend, all processors, the model's context, FAST. */
    public static ModelOptions defaults() {
        return new ModelOptions(
                "auto",
                Optional.empty(),
                0,
                0,
                DEFAULT_STEP_ROWS,
                Precision.FAST,
                Optional.empty(),
                DeviceFailure.CPU,
                bytes -> {});
    }

    /** The element type of keys and values that these options give. */
    public DType effectiveKvType() {
        return kvType.orElse(precision == Precision.FAST ? DType.F16 : DType.F32);
    }

    /** These options on another backend. */
    public ModelOptions onBackend(String id) {
        return new ModelOptions(
                id, device, threads, contextRows, stepRows, precision, kvType, onDeviceFailure, bytesLoaded);
    }

    /** These options in another precision. */
    public ModelOptions inPrecision(Precision other) {
        return new ModelOptions(
                backend, device, threads, contextRows, stepRows, other, kvType, onDeviceFailure, bytesLoaded);
    }

    /** These options with another number of threads. */
    public ModelOptions onThreads(int count) {
        return new ModelOptions(
                backend, device, count, contextRows, stepRows, precision, kvType, onDeviceFailure, bytesLoaded);
    }

    /** These options with steps of another size. */
    public ModelOptions inStepsOf(int rows) {
        return new ModelOptions(
                backend, device, threads, contextRows, rows, precision, kvType, onDeviceFailure, bytesLoaded);
    }

    /** These options with another answer to the loss of a device. */
    public ModelOptions onDeviceFailure(DeviceFailure answer) {
        return new ModelOptions(
                backend, device, threads, contextRows, stepRows, precision, kvType, answer, bytesLoaded);
    }

    /** These options with another context. */
    public ModelOptions withContext(int rows) {
        return new ModelOptions(
                backend, device, threads, rows, stepRows, precision, kvType, onDeviceFailure, bytesLoaded);
    }
}
