package org.torchnnapi.driver.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.torchnnapi.nnapi.driver.BurstState;
import org.torchnnapi.nnapi.driver.ExecutionControl;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.driver.Preference;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.Priority;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;

/** Each test holds the only turn, lets others queue up one after the other, and sees in which order they work. */
@Timeout(60)
class PrioritySchedulerTest {
    private final PriorityScheduler turns = new PriorityScheduler(1);
    private final List<String> order = Collections.synchronizedList(new ArrayList<>());
    private final List<CompletableFuture<Void>> threads = new ArrayList<>();

    private static ExecutionControl within(Duration time) {
        ExecutionControl control = new ExecutionControl();
        control.deadline(System.nanoTime() + time.toNanos());
        return control;
    }

    /** Has something done on a thread of its own, and returns once it waits. */
    private void queue(Runnable work) throws InterruptedException {
        int before = turns.waiting();
        threads.add(CompletableFuture.runAsync(work, task -> new Thread(task).start()));
        while (turns.waiting() == before) {
            TimeUnit.MILLISECONDS.sleep(1);
        }
    }

    private void queue(String name, Priority priority, ExecutionControl control) throws InterruptedException {
        queue(() -> {
            turns.take(priority, control);
            order.add(name);
            turns.giveBack();
        });
    }

    private void finish() {
        turns.giveBack();
        threads.forEach(CompletableFuture::join);
    }

    @Test
    void priorityThenDeadlineThenArrival() throws InterruptedException {
        turns.take(Priority.LOW, new ExecutionControl());
        queue("low", Priority.LOW, within(Duration.ofSeconds(30)));
        queue("medium", Priority.MEDIUM, new ExecutionControl());
        queue("medium too", Priority.MEDIUM, new ExecutionControl());
        queue("medium later", Priority.MEDIUM, within(Duration.ofSeconds(50)));
        queue("medium soon", Priority.MEDIUM, within(Duration.ofSeconds(40)));
        queue("high", Priority.HIGH, new ExecutionControl());
        finish();
        assertEquals(List.of("high", "medium soon", "medium later", "medium", "medium too", "low"), order);
    }

    @Test
    void whoIsCancelledOrLateLeavesTheQueue() throws InterruptedException {
        turns.take(Priority.MEDIUM, new ExecutionControl());
        ExecutionControl cancelled = new ExecutionControl();
        queue("cancelled", Priority.HIGH, cancelled);
        queue("late", Priority.HIGH, within(Duration.ofMillis(20)));
        queue("other", Priority.LOW, new ExecutionControl());
        cancelled.cancel();
        NnapiException first = (NnapiException)
                assertThrows(CompletionException.class, () -> threads.get(0).join())
                        .getCause();
        assertEquals(ResultCode.OP_FAILED, first.resultCode());
        NnapiException second = (NnapiException)
                assertThrows(CompletionException.class, () -> threads.get(1).join())
                        .getCause();
        assertEquals(ResultCode.MISSED_DEADLINE_TRANSIENT, second.resultCode());
        assertEquals(1, turns.waiting());
        turns.giveBack();
        threads.get(2).join();
        assertEquals(List.of("other"), order);
        turns.take(Priority.LOW, within(Duration.ofSeconds(30)));
    }

    /**
     * Those who wait are passed by while they wake up, but for no longer than that, and by nobody who comes after them
     * by priority or deadline.
     */
    @Test
    void whoHasWaitedIsNotPassedBy() throws InterruptedException {
        for (int i = 0; i < 50; i++) {
            order.clear();
            turns.take(Priority.MEDIUM, new ExecutionControl());
            queue("first", Priority.MEDIUM, new ExecutionControl());
            TimeUnit.MILLISECONDS.sleep(2);
            turns.giveBack();
            turns.take(Priority.MEDIUM, new ExecutionControl());
            assertEquals(List.of("first"), order);
            turns.giveBack();
            turns.take(Priority.MEDIUM, new ExecutionControl());
            threads.add(CompletableFuture.runAsync(() -> {
                turns.take(Priority.HIGH, new ExecutionControl());
                order.add("high");
                turns.giveBack();
            }));
            while (turns.waiting() == 0) {
                Thread.onSpinWait();
            }
            turns.giveBack();
            turns.take(Priority.MEDIUM, within(Duration.ofSeconds(30)));
            assertEquals(List.of("first", "high"), order);
            turns.giveBack();
        }
    }

    /** Many threads with little to do never find more at work than may be, and none waits for ever. */
    @Test
    void noMoreWorkThanMay() {
        PriorityScheduler two = new PriorityScheduler(2);
        two.take(Priority.MEDIUM, new ExecutionControl());
        two.take(Priority.MEDIUM, new ExecutionControl());
        two.giveBack();
        two.giveBack();
        AtomicInteger working = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        for (int t = 0; t < 8; t++) {
            Priority priority = Priority.values()[t % 3];
            threads.add(CompletableFuture.runAsync(
                    () -> {
                        for (int i = 0; i < 20_000; i++) {
                            two.take(priority, new ExecutionControl());
                            most.accumulateAndGet(working.incrementAndGet(), Math::max);
                            working.decrementAndGet();
                            two.giveBack();
                        }
                    },
                    task -> new Thread(task).start()));
        }
        threads.forEach(CompletableFuture::join);
        // A machine that is busy may run them one by one.
        assertTrue(most.get() <= 2, () -> most + " at work");
        assertEquals(0, two.waiting());
    }

    private static Model model() {
        Graphs graph = new Graphs(1, OperandType.TENSOR_FLOAT32);
        int x = graph.tensor(1, 4);
        int y = graph.apply(OperationType.RELU, new int[] {1, 4}, x);
        graph.builder.identifyInputsAndOutputs(new int[] {x}, new int[] {y});
        return graph.builder.finish();
    }

    private static ExecutionRequest request(Model model, ByteBuffer output) {
        ExecutionRequest request = new ExecutionRequest(model);
        request.setInput(0, ByteBuffer.wrap(new byte[] {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1}));
        request.setOutput(0, output);
        return request;
    }

    private static PrepareOptions of(Priority priority) {
        return new PrepareOptions(Preference.FAST_SINGLE_ANSWER, priority, new ExecutionControl(), null);
    }

    /** Whoever has the turn between them finds the results of the one and none of the other. */
    @Test
    void executionsHaveThePriorityOfTheirModel() throws InterruptedException {
        Model model = model();
        CpuDriver driver = new CpuDriver(turns, PriorityScheduler.ofProcessors());
        ByteBuffer ofLow = ByteBuffer.allocate(16);
        ByteBuffer ofHigh = ByteBuffer.allocate(16);
        ByteBuffer ofBurst = ByteBuffer.allocate(16);
        try (PreparedModel low = driver.prepare(model, of(Priority.LOW));
                PreparedModel high = driver.prepare(model, of(Priority.HIGH));
                BurstState burst = high.openBurst()) {
            turns.take(Priority.LOW, new ExecutionControl());
            queue(() -> low.execute(request(model, ofLow)));
            queue(() -> {
                turns.take(Priority.MEDIUM, new ExecutionControl());
                order.add(ofLow.get(0) + " " + ofHigh.get(0) + " " + ofBurst.get(0));
                turns.giveBack();
            });
            queue(() -> high.execute(request(model, ofHigh)));
            queue(() -> burst.execute(request(model, ofBurst)));
            finish();
        }
        assertEquals(List.of("0 1 1"), order);
        assertEquals(1, ofLow.get(0));
        turns.take(Priority.LOW, within(Duration.ofSeconds(30)));
    }

    @Test
    void preparationsWaitForThoseOfHigherPriority() throws InterruptedException {
        Model model = model();
        CpuDriver driver = new CpuDriver(PriorityScheduler.ofProcessors(), turns);
        turns.take(Priority.LOW, new ExecutionControl());
        queue(() -> {
            driver.prepare(model, of(Priority.LOW)).close();
            order.add("low");
        });
        queue("high", Priority.HIGH, new ExecutionControl());
        finish();
        assertEquals(List.of("high", "low"), order);
    }
}
