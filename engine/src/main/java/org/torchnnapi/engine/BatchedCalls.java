package org.torchnnapi.engine;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.torchnnapi.tensor.Tensor;

/**
 * Answers inputs that come at the same time by one call of a model: joins them along dimension 0, and gives each caller
 * the rows of its own. For models that treat each row by itself, as networks do in evaluation mode. One call runs at a
 * time, on a thread of the executor's, which is held only while inputs wait. Inputs of other types or sizes go into
 * calls of their own. Where a joint call fails, or its answer has not a row for each, its inputs are run one by one, so
 * that an error is told to the caller whose input it is. Safe for use by several threads; owns neither model nor
 * executor.
 */
public final class BatchedCalls implements AutoCloseable {
    /** What a caller waits for. */
    private record Request(JoinedInputs.Key key, Tensor[] inputs, CompletableFuture<ModelOutput> answer) {
        int rows() {
            return inputs[0].size(0);
        }
    }

    private final LoadedModel model;
    private final Executor executor;
    private final int most;
    private final long waitNanos;

    private final Deque<Request> waiting = new ArrayDeque<>();
    /** Whether what works on them was given to the executor, and whether it, or who closes this, does. */
    private boolean working;

    private boolean started;
    private boolean closed;

    /**
     * @param executor whose threads run the model
     * @param most rows that a call gets of several inputs; an input of more is run by itself
     * @param wait how long the first input may wait for others; zero to join only those that came during a call
     * @throws IllegalArgumentException if the number is below 1 or the wait negative, or the model's file says that its
     *     inputs have a number of rows of their own
     */
    public BatchedCalls(LoadedModel model, Executor executor, int most, Duration wait) {
        if (most < 1) {
            throw new IllegalArgumentException("most: " + most + " (expected: >= 1)");
        }
        if (wait.isNegative()) {
            throw new IllegalArgumentException("wait: " + wait + " (expected: >= 0)");
        }
        for (ValueInfo input : ModelSignature.of(model.module(), "forward").inputs()) {
            List<Integer> sizes = input.sizes();
            if (sizes != null && !input.example() && !sizes.isEmpty() && sizes.get(0) >= 0) {
                throw new IllegalArgumentException("input " + input.text()
                        + " (expected: an open size in dimension 0, as of a model exported or converted with one)");
            }
        }
        this.model = model;
        this.executor = executor;
        this.most = most;
        this.waitNanos = wait.toNanos();
    }

    /**
     * Runs {@code forward}, possibly together with others.
     *
     * @param inputs tensors whose dimensions 0 are equal, mostly 1; not to be written to until there is an answer
     * @return the answer for these rows, in memory of its own. It ends with what {@link LoadedModel#forward(Object...)}
     *     throws. Cancelled before its call begins, it takes no part in it
     * @throws IllegalArgumentException if there is no input, or one without such a dimension
     * @throws IllegalStateException if this is closed
     * @throws RejectedExecutionException if the executor takes no work
     */
    public CompletableFuture<ModelOutput> forward(Tensor... inputs) {
        Request request =
                new Request(JoinedInputs.Key.of(inputs), inputs.clone(), new CompletableFuture<ModelOutput>());
        synchronized (waiting) {
            if (closed) {
                throw new IllegalStateException("batched calls: closed (expected: ones in use)");
            }
            waiting.add(request);
            waiting.notifyAll();
            if (working) {
                return request.answer;
            }
            working = true;
        }
        try {
            executor.execute(this::work);
        } catch (RejectedExecutionException e) {
            synchronized (waiting) {
                working = false;
                waiting.remove(request);
                waiting.forEach(other -> other.answer.completeExceptionally(e));
                waiting.clear();
                waiting.notifyAll();
            }
            throw e;
        }
        return request.answer;
    }

    private void work() {
        synchronized (waiting) {
            if (started || !working) {
                return;
            }
            started = true;
        }
        for (List<Request> batch = next(); !batch.isEmpty(); batch = next()) {
            run(batch);
        }
    }

    /** Those to be run next, of one kind; none once none wait, and then this is over. */
    private List<Request> next() {
        synchronized (waiting) {
            waitForMore();
            List<Request> batch = new ArrayList<>();
            int rows = 0;
            Iterator<Request> all = waiting.iterator();
            while (all.hasNext()) {
                Request request = all.next();
                if (request.answer.isDone()) {
                    all.remove();
                } else if (batch.isEmpty() || rows + request.rows() <= most && request.key.equals(batch.get(0).key)) {
                    rows += request.rows();
                    batch.add(request);
                    all.remove();
                }
            }
            if (batch.isEmpty()) {
                working = false;
                started = false;
                waiting.notifyAll();
            }
            return batch;
        }
    }

    /** Holds the lock of those that wait. An interrupt ends the wait and stays for the model to see. */
    private void waitForMore() {
        long end = System.nanoTime() + waitNanos;
        try {
            while (!closed
                    && !waiting.isEmpty()
                    && waiting.stream().mapToInt(Request::rows).sum() < most) {
                long left = end - System.nanoTime();
                if (left <= 0) {
                    return;
                }
                TimeUnit.NANOSECONDS.timedWait(waiting, left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void run(List<Request> batch) {
        if (batch.size() > 1 && runJoined(batch)) {
            return;
        }
        for (Request request : batch) {
            try {
                request.answer.complete(model.forward((Object[]) request.inputs));
            } catch (Throwable e) {
                // An error too is its own caller's: the next ones are answered.
                request.answer.completeExceptionally(e);
            }
        }
    }

    /** @return whether all were answered; none was otherwise */
    private boolean runJoined(List<Request> batch) {
        List<Tensor[]> inputs = new ArrayList<>();
        batch.forEach(request -> inputs.add(request.inputs));
        List<Object> parts;
        try {
            JoinedInputs joined = new JoinedInputs(inputs);
            ModelOutput output = model.forward((Object[]) joined.tensors());
            parts = joined.parts(output.value());
        } catch (RuntimeException | OutOfMemoryError e) {
            // Each alone finds out whose it is.
            return false;
        }
        if (parts == null) {
            return false;
        }
        for (int i = 0; i < batch.size(); i++) {
            batch.get(i).answer.complete(new ModelOutput(LoadedModel.RESULT, parts.get(i)));
        }
        return true;
    }

    /**
     * Takes no more inputs, and waits until those that were taken are answered, on this thread where the executor has
     * not begun; not from a step behind such an answer. An interrupt ends the wait alone. Closing again does nothing.
     */
    @Override
    public void close() {
        synchronized (waiting) {
            closed = true;
            waiting.notifyAll();
        }
        work();
        synchronized (waiting) {
            try {
                while (working) {
                    waiting.wait();
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
