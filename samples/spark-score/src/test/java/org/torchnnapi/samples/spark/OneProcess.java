package org.torchnnapi.samples.spark;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.IntStream;

/** The same rows without Spark: what they cost, and what is right. */
final class OneProcess {
    final byte[] digits;
    final float[] values;
    private final PictureModel model;
    private final byte[][] pictures;

    /** @param pictures files; row i is picture i, counted round and round */
    OneProcess(PictureModel model, byte[][] pictures, int rows) {
        this.model = model;
        this.pictures = pictures;
        this.digits = new byte[rows];
        this.values = new float[rows];
    }

    ScorePictures.Outcome score(int threads, int batch) throws InterruptedException {
        long start = System.nanoTime();
        LongAdder decoding = new LongAdder();
        LongAdder scoring = new LongAdder();
        AtomicInteger next = new AtomicInteger();
        Thread[] workers = new Thread[threads];
        for (int i = 0; i < threads; i++) {
            workers[i] = new Thread(() -> {
                for (int row = next.getAndAdd(batch); row < digits.length; row = next.getAndAdd(batch)) {
                    score(row, Math.min(batch, digits.length - row), decoding, scoring);
                }
            });
            workers[i].start();
        }
        for (Thread worker : workers) {
            worker.join();
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        return new ScorePictures.Outcome(digits.length, 0, seconds, decoding.sum() / 1e9, scoring.sum() / 1e9);
    }

    private void score(int row, int count, LongAdder decoding, LongAdder scoring) {
        long start = ScorePictures.processorNanos();
        float[] batch = new float[count * DigitPicture.ELEMENTS];
        for (int i = 0; i < count; i++) {
            System.arraycopy(read(row + i), 0, batch, i * DigitPicture.ELEMENTS, DigitPicture.ELEMENTS);
        }
        long decoded = ScorePictures.processorNanos();
        float[] scores = model.scores(batch, count);
        decoding.add(decoded - start);
        scoring.add(ScorePictures.processorNanos() - decoded);
        int classes = scores.length / count;
        for (int i = 0; i < count; i++) {
            int best = IntStream.range(i * classes, (i + 1) * classes)
                    .reduce((a, b) -> scores[b] > scores[a] ? b : a)
                    .getAsInt();
            digits[row + i] = (byte) (best - i * classes);
            values[row + i] = scores[best];
        }
    }

    private float[] read(int row) {
        try {
            return DigitPicture.read(pictures[row % pictures.length]);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** How many of the first rows, one for each picture, have its label. */
    int right(int[] labels) {
        int right = 0;
        for (int i = 0; i < labels.length; i++) {
            right += digits[i] == labels[i] ? 1 : 0;
        }
        return right;
    }
}
