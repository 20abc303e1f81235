package org.torchnnapi.cli.demo;

import java.util.Arrays;
import java.util.function.UnaryOperator;
import org.torchnnapi.cli.io.Progress;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.tensor.Tensor;

/**
 * What one model made of all images.
 *
 * @param classes the class with the largest score, for each image
 * @param millis median time of one image, in milliseconds
 */
record Trial(int[] classes, double millis) {
    /**
     * Time given to the JVM to compile what the model runs, without which the order of the models would show in their
     * times.
     */
    private static final long WARM_UP_NANOS = 500_000_000;

    /** @param prepare makes the model's input of an image; not part of the time */
    static Trial run(LoadedModel model, Digits digits, UnaryOperator<Tensor> prepare, String label, Progress progress) {
        int count = digits.images().length;
        int[] classes = new int[count];
        long[] nanos = new long[count];
        warmUp(model, prepare.apply(digits.images()[0]));
        for (int i = 0; i < count; i++) {
            Tensor input = prepare.apply(digits.images()[i]);
            long start = System.nanoTime();
            Tensor scores = (Tensor) model.call("forward", input);
            nanos[i] = System.nanoTime() - start;
            classes[i] = largest(scores);
            progress.update(label, i + 1, count);
        }
        Arrays.sort(nanos);
        return new Trial(classes, nanos[count / 2] / 1e6);
    }

    private static void warmUp(LoadedModel model, Tensor input) {
        long start = System.nanoTime();
        do {
            model.call("forward", input);
        } while (System.nanoTime() - start < WARM_UP_NANOS);
    }

    /** The share of images that got this class. */
    double agreement(int[] others) {
        int same = 0;
        for (int i = 0; i < classes.length; i++) {
            same += classes[i] == others[i] ? 1 : 0;
        }
        return (double) same / classes.length;
    }

    private static int largest(Tensor scores) {
        int best = 0;
        for (int i = 1; i < scores.numel(); i++) {
            best = scores.getDouble(i) > scores.getDouble(best) ? i : best;
        }
        return best;
    }
}
