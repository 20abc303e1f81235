package org.torchnnapi.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

class BatchedCallsTest {
    /** A second output is how many rows came together. */
    private static final String COUNTING =
            "return (torch.mul(x, 2.), torch.full([torch.size(x, 0)], torch.size(x, 0)))";

    private static final Duration LONG = Duration.ofSeconds(60);

    private final ExecutorService executor = Executors.newFixedThreadPool(2);
    /** Work that was given to an executor that does none by itself. */
    private final List<Runnable> given = new ArrayList<>();

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    private static Tensor row(float... values) {
        return Tensor.of(values, 1, values.length);
    }

    private static LoadedModel counting() throws IOException {
        return TestModels.of("Tuple[Tensor, Tensor]", COUNTING);
    }

    @Test
    void inputsOfOneTimeAreOneCall() throws Exception {
        try (LoadedModel model = counting();
                BatchedCalls calls = new BatchedCalls(model, executor, 3, LONG)) {
            CompletableFuture<ModelOutput> first = calls.forward(row(1, 2));
            CompletableFuture<ModelOutput> second = calls.forward(Tensor.of(new float[] {3, 4, 5, 6}, 2, 2));
            assertArrayEquals(new float[] {2, 4}, first.get().tensor(0).toFloatArray());
            assertArrayEquals(new float[] {6, 8, 10, 12}, second.get().tensor(0).toFloatArray());
            assertArrayEquals(new int[] {2, 2}, second.get().tensor(0).sizes());
            assertEquals(3, first.get().tensor(1).getLong(0));
            assertArrayEquals(new long[] {3, 3}, second.get().tensor(1).toLongArray());
        }
    }

    @Test
    void otherSizesAndCancelledOnesAreNoPartOfIt() throws Exception {
        try (LoadedModel model = counting();
                BatchedCalls calls = new BatchedCalls(model, given::add, 8, Duration.ZERO)) {
            CompletableFuture<ModelOutput> wide = calls.forward(row(1, 2, 3));
            CompletableFuture<ModelOutput> narrow = calls.forward(row(1));
            calls.forward(row(5, 5, 5)).cancel(false);
            CompletableFuture<ModelOutput> wideToo = calls.forward(row(4, 5, 6));
            assertEquals(1, given.size());
            given.get(0).run();
            assertEquals(2, wide.get().tensor(1).getLong(0));
            assertArrayEquals(new float[] {8, 10, 12}, wideToo.get().tensor(0).toFloatArray());
            assertEquals(1, narrow.get().tensor(1).getLong(0));
        }
    }

    /** Of a model that refuses numbers above 9. */
    @Test
    void anErrorIsItsOwnCallersAlone() throws Exception {
        String body = "if torch.gt(int(torch.max(x)), 9):\n      ops.prim.RaiseException(\"too large\")\n"
                + "    else:\n      pass\n    return torch.neg(x)";
        try (LoadedModel model = TestModels.of("Tensor", body);
                BatchedCalls calls = new BatchedCalls(model, executor, 3, LONG)) {
            CompletableFuture<ModelOutput> good = calls.forward(row(1));
            CompletableFuture<ModelOutput> bad = calls.forward(row(10));
            CompletableFuture<ModelOutput> also = calls.forward(row(3));
            assertEquals(-1, good.get().tensor().getDouble(0));
            assertEquals(-3, also.get().tensor().getDouble(0));
            Throwable cause = assertThrows(ExecutionException.class, bad::get).getCause();
            assertTrue(cause.getMessage().contains("too large"), cause::toString);
            assertInstanceOf(ModelException.class, cause);
        }
    }

    @Test
    void answersWithoutARowForEachAreComputedOneByOne() throws Exception {
        try (LoadedModel model = TestModels.of("Tensor", "return torch.sum(x)");
                BatchedCalls calls = new BatchedCalls(model, executor, 2, LONG)) {
            CompletableFuture<ModelOutput> first = calls.forward(row(1, 2));
            CompletableFuture<ModelOutput> second = calls.forward(row(3, 4));
            assertEquals(3, first.get().tensor().getDouble(0));
            assertEquals(7, second.get().tensor().getDouble(0));
        }
    }

    /** The executor never begins; closing does, and takes no more. */
    @Test
    void closingAnswersWhatWaits() throws Exception {
        try (LoadedModel model = counting()) {
            BatchedCalls calls = new BatchedCalls(model, given::add, 8, LONG);
            CompletableFuture<ModelOutput> waiting = calls.forward(row(1));
            assertFalse(waiting.isDone());
            calls.close();
            calls.close();
            assertEquals(2, waiting.get().tensor(0).getDouble(0));
            assertThrows(IllegalStateException.class, () -> calls.forward(row(1)));
            given.get(0).run();
        }
    }

    @Test
    void whatCannotBeJoinedIsRefused() throws Exception {
        try (LoadedModel model = counting()) {
            assertThrows(IllegalArgumentException.class, () -> new BatchedCalls(model, executor, 0, LONG));
            BatchedCalls calls = new BatchedCalls(model, executor, 4, Duration.ZERO);
            assertThrows(IllegalArgumentException.class, calls::forward);
            assertEquals(
                    "inputs: [Tensor([], dtype=torch.float32)] (expected: the same size in dimension 0)",
                    assertThrows(IllegalArgumentException.class, () -> calls.forward(Tensor.of(new float[1])))
                            .getMessage());
            executor.shutdown();
            assertThrows(RejectedExecutionException.class, () -> calls.forward(row(1)));
            calls.close();
        }
    }

    @Test
    void aCallMayRunElsewhere() throws Exception {
        try (LoadedModel model = TestModels.of("Tensor", "return torch.neg(x)")) {
            assertEquals(-4, model.forwardAsync(executor, row(4)).get().tensor().getDouble(0));
        }
    }
}
