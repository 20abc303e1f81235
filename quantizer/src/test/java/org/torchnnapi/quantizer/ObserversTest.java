package org.torchnnapi.quantizer;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Quantization;

class ObserversTest {
    private static float[] numbers(int count, int modulus, int offset, float divisor) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = ((long) i * i * 7919 % modulus - offset) / divisor;
        }
        return values;
    }

    private static void histogram(double min, double max, double scale, int zeroPoint, float[]... batches) {
        HistogramObserver observer = new HistogramObserver();
        for (float[] batch : batches) {
            observer.observe(batch);
        }
        Observer.Range range = observer.range();
        assertEquals(min, range.min());
        assertEquals(max, range.max());
        assertEquals(new Quantization.PerTensor(scale, zeroPoint), Scales.affine(range));
    }

    /** What PyTorch 1.13's HistogramObserver(reduce_range=False) says of the same numbers. */
    @Test
    void histogramsFindWhatPytorchFinds() {
        histogram(-2.34375, 5.422828674316406, 0.03045717068016529, 77, numbers(5000, 1000, 300, 128));
        histogram(
                -38.77362060546875,
                26.673797607421875,
                0.2566565275192261,
                151,
                numbers(5000, 1000, 300, 128),
                numbers(3000, 2000, 300, 64),
                numbers(4000, 3000, 2500, 64));
        histogram(
                -0.48828125,
                0.8789472579956055,
                0.005361680407077074,
                91,
                numbers(4000, 1000, 500, 1024),
                numbers(4000, 1000, 100, 1024));
    }

    @Test
    void percentilesLeaveFarValuesOut() {
        PercentileObserver observer = new PercentileObserver();
        float[] values = new float[100_000];
        for (int i = 0; i < values.length; i++) {
            values[i] = i / 100_000f;
        }
        observer.observe(values);
        values[3] = 50;
        values[4] = -70;
        observer.observe(values);
        Observer.Range range = observer.range();
        // Bins are 128 / 8192 wide once -70 was seen.
        assertEquals(0, range.min(), 0.016);
        assertEquals(1, range.max(), 0.016);
    }

    @Test
    void percentilesOfOneValueAreIt() {
        PercentileObserver observer = new PercentileObserver();
        observer.observe(new float[] {3, 3, 3});
        assertEquals(new Observer.Range(3, 3), observer.range());
        PercentileObserver zero = new PercentileObserver();
        zero.observe(new float[] {0});
        assertEquals(new Observer.Range(0, 0), zero.range());
    }
}
