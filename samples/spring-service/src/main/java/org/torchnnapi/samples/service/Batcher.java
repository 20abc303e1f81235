package org.torchnnapi.samples.service;

import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.tensor.Tensor;

/** Answers requests that come at the same time by one call of the model. */
final class Batcher implements AutoCloseable {
    private record Request(float[] pixels, CompletableFuture<float[]> answer) {}

    private final LoadedModel model;
    private final int size;
    private final long waitNanos;
    private final BlockingQueue<Request> requests;
    private final DistributionSummary sizes;
    private final Timer calls;
    private final Thread worker = new Thread(this::work, "batcher");

    Batcher(LoadedModel model, MeterRegistry metrics, int size, Duration wait, int queue) {
        this.model = model;
        this.size = size;
        this.waitNanos = wait.toNanos();
        this.requests = new ArrayBlockingQueue<>(queue);
        this.sizes = DistributionSummary.builder("model.batch.size")
                .description("requests that one call answered")
                .register(metrics);
        this.calls =
                Timer.builder("model.call").description("calls of the model").register(metrics);
        metrics.gauge("model.queue", requests, BlockingQueue::size);
        // The first call compiles the model, which no request should wait for.
        scores(List.of(new float[DigitPicture.ELEMENTS]));
        worker.start();
    }

    /**
     * The scores of the classes for one picture.
     *
     * @throws RejectedExecutionException if more requests wait than may
     */
    CompletableFuture<float[]> classify(float[] pixels) {
        Request request = new Request(pixels, new CompletableFuture<>());
        if (!requests.offer(request)) {
            throw new RejectedExecutionException(
                    "requests: " + requests.size() + " wait (expected: fewer; try again later)");
        }
        return request.answer();
    }

    /** Whether the model answers. */
    boolean isAlive() {
        return worker.isAlive();
    }

    private void work() {
        List<Request> batch = new ArrayList<>();
        while (!Thread.currentThread().isInterrupted()) {
            batch.clear();
            try {
                batch.add(requests.take());
                long end = System.nanoTime() + waitNanos;
                requests.drainTo(batch, size - batch.size());
                for (Request next;
                        batch.size() < size
                                && (next = requests.poll(end - System.nanoTime(), TimeUnit.NANOSECONDS)) != null; ) {
                    batch.add(next);
                }
                // Nobody waits any longer for those whose deadline has passed.
                batch.removeIf(request -> request.answer().isDone());
                if (batch.isEmpty()) {
                    continue;
                }
                List<float[]> scores = calls.record(
                        () -> scores(batch.stream().map(Request::pixels).toList()));
                sizes.record(batch.size());
                for (int i = 0; i < batch.size(); i++) {
                    batch.get(i).answer().complete(scores.get(i));
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                batch.forEach(request -> request.answer().completeExceptionally(e));
            } catch (Throwable e) {
                // An error too is of this batch alone: the next ones are answered.
                batch.forEach(request -> request.answer().completeExceptionally(e));
            }
        }
    }

    private List<float[]> scores(List<float[]> pictures) {
        float[] all = new float[pictures.size() * DigitPicture.ELEMENTS];
        for (int i = 0; i < pictures.size(); i++) {
            System.arraycopy(pictures.get(i), 0, all, i * DigitPicture.ELEMENTS, DigitPicture.ELEMENTS);
        }
        Tensor result = (Tensor) model.call(
                "forward",
                Tensor.of(all, pictures.size(), DigitPicture.CHANNELS, DigitPicture.SIDE, DigitPicture.SIDE));
        float[] scores = result.toFloatArray();
        int classes = scores.length / pictures.size();
        List<float[]> rows = new ArrayList<>();
        for (int i = 0; i < pictures.size(); i++) {
            rows.add(Arrays.copyOfRange(scores, i * classes, (i + 1) * classes));
        }
        return rows;
    }

    @Override
    public void close() throws InterruptedException {
        worker.interrupt();
        worker.join();
    }
}
