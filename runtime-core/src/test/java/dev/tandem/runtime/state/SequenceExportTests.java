package dev.tandem.runtime.state;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.tandem.backend.cpu.CpuBackend;
import dev.tandem.backend.cpu.scalar.ScalarKernels;
import dev.tandem.spi.DeviceInfo;
import dev.tandem.spi.backend.Backend;
import dev.tandem.spi.backend.Backend.StateOptions;
import dev.tandem.spi.graph.StateSpec;
import dev.tandem.spi.model.DType;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The bytes of a sequence do not tell on which backends its slots lie. */
final class SequenceExportTests {
    private static final int ROWS = 150;
    private static final StateSpec KEYS = new StateSpec.Kv("a", 2, 8, 4, DType.F16, 0);
    private static final StateSpec WINDOW = new StateSpec.ConvWindow("b", 6, 4);
    private static final StateSpec MATRIX = new StateSpec.DeltaMatrix("c", 2, 4, 8);
    private static final StateSpec MORE_KEYS = new StateSpec.Kv("d", 1, 4, 4, DType.F32, 0);
    private static final List<StateSpec> ORDER = List.of(KEYS, WINDOW, MATRIX, MORE_KEYS);

    private static CpuBackend backend(String id) {
        return new CpuBackend(
                new DeviceInfo(id, "test", DeviceInfo.Kind.CPU, -1, -1, "scalar"), new ScalarKernels(), 1);
    }

    private static MemorySegment randomForm() {
        ValueLayout.OfInt word = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
        byte[] bytes = new byte[Math.toIntExact(Sequence.exportBytes(ORDER, ROWS))];
        new Random(9).nextBytes(bytes);
        MemorySegment form = MemorySegment.ofArray(bytes);
        form.set(word, 0, 0x54535431);
        form.set(word, 4, ORDER.size());
        form.set(word, 8, ROWS);
        return form;
    }

    @Test
    void isEqualWhereverTheSlotsLie() {
        MemorySegment form = randomForm();
        try (CpuBackend one = backend("one");
                CpuBackend two = backend("two");
                CpuBackend three = backend("three")) {
            List<Map<Backend, List<StateSpec>>> placements = List.of(
                    Map.of(one, ORDER),
                    Map.of(one, List.of(MORE_KEYS, MATRIX, WINDOW, KEYS)),
                    Map.of(one, List.of(WINDOW, MORE_KEYS), two, List.of(KEYS, MATRIX)),
                    Map.of(one, List.of(MATRIX, WINDOW), two, List.of(KEYS, MORE_KEYS), three, List.of()));
            for (Map<Backend, List<StateSpec>> slots : placements) {
                try (Sequence sequence = Sequence.create(slots, new StateOptions(200, 16));
                        Arena arena = Arena.ofConfined()) {
                    sequence.importFrom(ORDER, form, ROWS);
                    assertEquals(ROWS, sequence.committedRows());
                    assertArrayEquals(
                            form.toArray(ValueLayout.JAVA_BYTE),
                            sequence.export(ORDER, arena).toArray(ValueLayout.JAVA_BYTE),
                            slots.values().toString());
                }
            }
        }
    }

    @Test
    void refusesAFormOfAnotherSize() {
        try (CpuBackend one = backend("one");
                Sequence sequence = Sequence.create(Map.of(one, ORDER), new StateOptions(200, 16))) {
            assertThrows(IllegalArgumentException.class, () -> sequence.importFrom(ORDER, randomForm(), ROWS - 1));
            assertEquals(0, sequence.committedRows());
        }
    }
}
