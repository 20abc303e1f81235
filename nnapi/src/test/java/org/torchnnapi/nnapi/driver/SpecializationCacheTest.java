package org.torchnnapi.nnapi.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.FloatBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;

class SpecializationCacheTest {
    /** Something that must not be used once closed. */
    private static final class Thing {
        private final Model model;
        private volatile boolean closed;

        Thing(Model model) {
            this.model = model;
        }
    }

    private final Model open = open();

    private static Model open() {
        ModelBuilder builder = new ModelBuilder();
        int x = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 0));
        int y = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 0));
        builder.addOperation(OperationType.RELU, new int[] {x}, new int[] {y});
        builder.identifyInputsAndOutputs(new int[] {x}, new int[] {y});
        return builder.finish();
    }

    private SpecializationCache<Thing> variants(int most, boolean byValue) {
        return new SpecializationCache<>(
                open,
                new boolean[] {byValue},
                (operation, input) -> true,
                most,
                (model, control) -> new Thing(model),
                thing -> thing.closed = true);
    }

    private ExecutionRequest request(float... values) {
        ExecutionRequest request = new ExecutionRequest(open);
        request.setInput(0, FloatBuffer.wrap(values), values.length);
        return request;
    }

    @Test
    void oneForEachShape() {
        try (SpecializationCache<Thing> variants = variants(4, false)) {
            SpecializationCache.Variant<Thing> two = variants.acquire(request(1, 2));
            assertEquals(
                    List.of(2), List.of(two.made().model.input(0).descriptor().dimension(0)));
            assertSame(two, variants.find(request(3, 4)));
            assertNull(variants.find(request(3)));
            assertNotSame(two, variants.acquire(request(3)));
        }
    }

    @Test
    void oneForEachValueWhereValuesCount() {
        try (SpecializationCache<Thing> variants = variants(4, true)) {
            SpecializationCache.Variant<Thing> some = variants.acquire(request(1, 2));
            assertSame(some, variants.acquire(request(1, 2)));
            assertNotSame(some, variants.acquire(request(1, 3)));
        }
    }

    @Test
    void whatIsInUseIsNotClosedWhenOthersTakeItsPlace() {
        SpecializationCache<Thing> variants = variants(1, false);
        SpecializationCache.Variant<Thing> fetched = variants.acquire(request(1));
        variants.release(variants.acquire(request(1, 2)));
        assertNull(variants.find(request(1)), "put aside");
        assertFalse(fetched.made().closed);
        variants.release(fetched);
        assertTrue(fetched.made().closed);
        SpecializationCache.Variant<Thing> second = variants.acquire(request(1, 2));
        variants.close();
        assertFalse(second.made().closed);
        variants.release(second);
        assertTrue(second.made().closed);
        assertEquals(
                ResultCode.BAD_STATE,
                assertThrows(NnapiException.class, () -> variants.acquire(request(1)))
                        .resultCode());
    }

    @Test
    void whatIsUsedLastStays() {
        try (SpecializationCache<Thing> variants = variants(2, false)) {
            variants.release(variants.acquire(request(1)));
            variants.release(variants.acquire(request(1, 2)));
            variants.release(variants.acquire(request(1)));
            variants.release(variants.acquire(request(1, 2, 3)));
            assertNull(variants.find(request(1, 2)));
            assertEquals(
                    List.of(1, 3),
                    variants.all().stream()
                            .map(thing -> thing.model.input(0).descriptor().dimension(0))
                            .toList());
        }
    }

    @Test
    void failureIsTheAskersAndIsNotKept() {
        AtomicInteger asked = new AtomicInteger();
        try (SpecializationCache<Thing> variants = new SpecializationCache<>(
                open,
                new boolean[1],
                (operation, input) -> false,
                2,
                (model, control) -> {
                    if (asked.incrementAndGet() == 1) {
                        throw new NnapiException(ResultCode.OP_FAILED, "first");
                    }
                    return new Thing(model);
                },
                thing -> {})) {
            assertThrows(NnapiException.class, () -> variants.acquire(request(1)));
            variants.release(variants.acquire(request(1)));
            assertEquals(2, asked.get());
        }
    }

    @Test
    void makingOneHoldsNobodyUpWhoWantsAnother() throws Exception {
        CountDownLatch slow = new CountDownLatch(1);
        CountDownLatch begun = new CountDownLatch(1);
        ExecutorService threads = Executors.newSingleThreadExecutor();
        try (SpecializationCache<Thing> variants = new SpecializationCache<>(
                open,
                new boolean[1],
                (operation, input) -> false,
                2,
                (model, control) -> {
                    if (model.input(0).descriptor().dimension(0) == 1) {
                        begun.countDown();
                        try {
                            slow.await();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    }
                    return new Thing(model);
                },
                thing -> thing.closed = true)) {
            Future<?> first = threads.submit(() -> variants.release(variants.acquire(request(1))));
            begun.await();
            variants.release(variants.acquire(request(1, 2)));
            slow.countDown();
            first.get();
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void nothingClosedIsEverUsed() throws Exception {
        SpecializationCache<Thing> variants = variants(2, false);
        AtomicInteger used = new AtomicInteger();
        ExecutorService threads = Executors.newFixedThreadPool(4);
        List<Future<?>> workers = new ArrayList<>();
        for (int t = 0; t < 4; t++) {
            int seed = t;
            workers.add(threads.submit(() -> {
                for (int i = 0; i < 2000; i++) {
                    SpecializationCache.Variant<Thing> variant =
                            variants.acquire(request(new float[1 + (i * 7 + seed) % 5]));
                    Thread.onSpinWait();
                    if (!variant.made().closed) {
                        used.incrementAndGet();
                    }
                    variants.release(variant);
                }
            }));
        }
        for (Future<?> worker : workers) {
            worker.get();
        }
        threads.shutdownNow();
        variants.close();
        assertEquals(8000, used.get());
    }
}
