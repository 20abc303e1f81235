package org.torchnnapi.quantizer;

/**
 * Chooses the range with the least expected squared error over a running histogram of 2048 bins, as
 * {@code HistogramObserver} of PyTorch 1.13 does (torch/ao/quantization/observer.py), in its float32 steps: histograms
 * of wider ranges are joined on a grid of 128 parts a bin, and the search moves the end with the longer way to the next
 * 0.001 percent of the values inwards until the error grows. The ends of the histogram are rounded towards zero to
 * whole numbers, or those of the tensor where both become one, as {@code torch.histc} is called there.
 */
final class HistogramObserver implements Observer {
    private static final int BINS = 2048;
    private static final int PARTS = 128;
    private static final int STEPS = 256;
    private static final double SHARE = 1e-5;

    private float[] histogram;
    private float min;
    private float max;

    @Override
    public void observe(float[] values) {
        if (values.length == 0) {
            return;
        }
        MinMaxObserver ends = new MinMaxObserver();
        ends.observe(values);
        Range own = ends.range();
        if (histogram == null || min == max) {
            min = own.min();
            max = own.max();
            histogram = count(values, own, (int) min, (int) max);
            return;
        }
        float least = Math.min(own.min(), min);
        float greatest = Math.max(own.max(), max);
        float part = (max - min) / (BINS * PARTS);
        int downsample = (int) Math.ceil((greatest - least) / (BINS * part));
        // The greatest value moves out to where a whole number of the old parts fits a bin.
        float relaxed = greatest + (downsample * (BINS * part) - (greatest - least));
        int start = (int) Math.rint((min - least) / part);
        float[] counted = count(values, own, (int) least, (int) relaxed);
        if (least == min && relaxed == max) {
            for (int i = 0; i < BINS; i++) {
                counted[i] += histogram[i];
            }
        } else {
            join(counted, downsample, start);
        }
        histogram = counted;
        min = least;
        max = relaxed;
    }

    private static float[] count(float[] values, Range own, int low, int high) {
        double left = low;
        double right = high;
        if (left == right) {
            left = own.min();
            right = own.max();
        }
        if (left == right) {
            left--;
            right++;
        }
        float from = (float) left;
        float to = (float) right;
        float[] counts = new float[BINS];
        for (float value : values) {
            if (value >= from && value <= to) {
                int bin = (int) ((value - from) * BINS / (to - from));
                counts[Math.min(bin, BINS - 1)]++;
            }
        }
        return counts;
    }

    /**
     * Adds the known histogram, cut into parts and laid from part {@code start} on, to one with {@code downsample}
     * parts a bin.
     */
    private void join(float[] counted, int downsample, int start) {
        double sum = 0;
        float before = 0;
        for (int bin = 0; bin < BINS; bin++) {
            for (long part = (long) bin * downsample; part < (long) (bin + 1) * downsample; part++) {
                long at = part - start;
                sum += at >= 0 && at < (long) BINS * PARTS ? histogram[(int) (at / PARTS)] : 0;
            }
            counted[bin] += (float) ((sum - before) / PARTS);
            before = (float) sum;
        }
    }

    @Override
    public Range range() {
        if (histogram == null) {
            return new Range(Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY);
        }
        float width = (max - min) / BINS;
        float[] running = new float[BINS];
        double total = 0;
        for (int i = 0; i < BINS; i++) {
            total += histogram[i];
            running[i] = (float) total;
        }
        double all = (float) total;
        double alpha = 0;
        double beta = 1;
        int start = 0;
        int end = BINS - 1;
        float least = Float.POSITIVE_INFINITY;
        while (alpha < beta) {
            double nextAlpha = alpha + SHARE;
            double nextBeta = beta - SHARE;
            int l = start;
            int r = end;
            while (l < end && running[l] < (float) (nextAlpha * all)) {
                l++;
            }
            while (r > start && running[r] > (float) (nextBeta * all)) {
                r--;
            }
            int nextStart = start;
            int nextEnd = end;
            if (l - start > end - r) {
                nextStart = l;
                alpha = nextAlpha;
            } else {
                nextEnd = r;
                beta = nextBeta;
            }
            if (nextStart == start && nextEnd == end) {
                continue;
            }
            float error = error(nextStart, nextEnd);
            if (error > least) {
                break;
            }
            least = error;
            start = nextStart;
            end = nextEnd;
        }
        return new Range(min + width * start, min + width * (end + 1));
    }

    /**
     * The squared error of all values, spread evenly within their bins, if bins {@code first} to {@code last} are the
     * range.
     */
    private float error(int first, int last) {
        double width = ((double) max - min) / BINS;
        double step = width * (last - first + 1) / STEPS;
        if (step == 0) {
            return 0;
        }
        float source = (float) width;
        float target = (float) step;
        float half = (float) (step / 2);
        float inside = cubes(-half, half);
        double sum = 0;
        for (int i = 0; i < BINS; i++) {
            float density = histogram[i] / source;
            float begin = (i - first) * source;
            float end = begin + source;
            float stepOfBegin = clamp(floorDivide(begin, target));
            float stepOfEnd = clamp(floorDivide(end, target));
            float norm = density * cubes(begin - (stepOfBegin + 0.5f) * target, half);
            norm += (stepOfEnd - stepOfBegin - 1) * (density * inside);
            norm += density * cubes(-half, end - (stepOfEnd * target + half));
            sum += norm;
        }
        return (float) sum;
    }

    private static float cubes(float begin, float end) {
        return (end * end * end - begin * begin * begin) / 3;
    }

    private static float clamp(float step) {
        return Math.max(0, Math.min(STEPS - 1, step));
    }

    /** Towards minus infinity, by way of the remainder as Python and PyTorch do. */
    private static float floorDivide(float a, float b) {
        float remainder = a % b;
        float quotient = (a - remainder) / b;
        if (remainder != 0 && b < 0 != remainder < 0) {
            quotient--;
        }
        float floor = (float) Math.floor(quotient);
        return quotient - floor > 0.5f ? floor + 1 : floor;
    }
}
