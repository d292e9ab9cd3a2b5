package dev.tandem.runtime.speculative;

import static dev.tandem.runtime.speculative.Speculating.GREEDY;
import static dev.tandem.runtime.speculative.Speculating.OPTIONS;
import static dev.tandem.runtime.speculative.Speculating.request;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.tandem.runtime.Golden;
import dev.tandem.runtime.ModelOptions;
import dev.tandem.runtime.Session;
import dev.tandem.runtime.decode.DraftStatistics;
import dev.tandem.runtime.gguf.GgufFile;
import dev.tandem.spi.DeviceException;
import dev.tandem.spi.ErrorCode;
import dev.tandem.spi.draft.DraftPlan.Shape;
import dev.tandem.spi.draft.DraftProposal;
import dev.tandem.spi.draft.ProposeRequest;
import dev.tandem.spi.model.TensorInfo;
import dev.tandem.testkit.draft.TestDrafts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A model that computes nonsense after a token that it never chooses itself. */
final class NonsenseTests {
    @TempDir
    Path folder;

    /** A copy of the model whose embedding of one token is all NaN. */
    private Path poisoned(int token) throws IOException {
        Path source = Golden.resource("tiny/llama.gguf");
        byte[] bytes = Files.readAllBytes(source);
        try (GgufFile file = GgufFile.open(source)) {
            TensorInfo embedding = file.tensor("token_embd.weight").orElseThrow();
            int row = Math.toIntExact(embedding.type().rowBytes(embedding.columns()));
            int start = Math.toIntExact(file.offset(embedding)) + token * row;
            Arrays.fill(bytes, start, start + row, (byte) 0xff);
        }
        Path target = folder.resolve("poisoned.gguf");
        Files.write(target, bytes);
        return target;
    }

    @Test
    void aGuessAfterWhichTheModelFailsDoesNotEndTheGeneration() throws IOException {
        int[] run;
        try (Speculating s = new Speculating("llama")) {
            run = s.run(request(30, GREEDY));
        }
        int unused = IntStream.range(0, 1000)
                .filter(id -> Arrays.stream(run).noneMatch(used -> used == id))
                .findFirst()
                .orElseThrow();
        try (Speculating s = new Speculating(poisoned(unused), ModelOptions.defaults())) {
            DeviceException alone =
                    assertThrows(DeviceException.class, () -> firstLogits(s, unused), "the token is poison");
            assertEquals(ErrorCode.NOT_A_NUMBER, alone.code());
            assertFalse(alone.lost());
            TestDrafts poisoner = new TestDrafts("poisoner", Shape.CHAIN, 8) {
                @Override
                protected DraftProposal guess(ProposeRequest request) {
                    return DraftProposal.chain(unused);
                }
            };
            DraftStatistics did = s.same(poisoner, OPTIONS, request(20, GREEDY), "poison " + unused);
            assertTrue(did.parked().isEmpty());
            assertEquals(19, did.passes());
            assertEquals(0, did.rounds());
        }
    }

    private static float[] firstLogits(Speculating s, int token) {
        try (Session session = s.model.newSession()) {
            return session.logits(new int[] {1, token});
        }
    }
}
