package org.torchnnapi.operators.support;

/**
 * Convolution over any spatial dimensions in double, for what the fast kernels do not cover: three dimensions and
 * float64. Ordinary ones of more than a few channels are matrix products of filters and columns, what each filter meets
 * of the input; others add channel by channel.
 */
public final class PlainConvolution {
    /** Inputs of a filter from which gathering them pays. */
    private static final int LEAST_DEPTH = 8;
    /** Elements of columns that are gathered at a time. */
    private static final int COLUMNS = 1 << 20;

    private final ConvolutionPlan plan;
    private final int[] in;
    private final int[] weight;
    private final int[] out;

    /** Shapes are padded to three spatial dimensions by the caller of {@link #run}. */
    private PlainConvolution(ConvolutionPlan plan, int[] in, int[] weight, int[] out) {
        this.plan = plan;
        this.in = in;
        this.weight = weight;
        this.out = out;
    }

    /**
     * The sums, row-major in the output's shape.
     *
     * @param bias one an output channel, or null
     */
    public static double[] run(
            ConvolutionPlan plan, double[] x, int[] in, double[] w, int[] weight, double[] bias, int[] out) {
        ConvolutionPlan wide = new ConvolutionPlan(
                widen(plan.stride(), 1),
                widen(plan.padding(), 0),
                widen(plan.dilation(), 1),
                plan.transposed(),
                widen(plan.outputPadding(), 0),
                plan.groups());
        return new PlainConvolution(wide, shape(in), shape(weight), shape(out)).compute(x, w, bias);
    }

    private static int[] widen(int[] values, int fill) {
        int[] wide = {fill, fill, fill};
        System.arraycopy(values, 0, wide, 3 - values.length, values.length);
        return wide;
    }

    private static int[] shape(int[] sizes) {
        int[] wide = {sizes[0], sizes[1], 1, 1, 1};
        System.arraycopy(sizes, 2, wide, 7 - sizes.length, sizes.length - 2);
        return wide;
    }

    private double[] compute(double[] x, double[] w, double[] bias) {
        double[] y = new double[Tensors.count(out)];
        int plane = out[2] * out[3] * out[4];
        for (int i = 0; i < y.length; i++) {
            y[i] = bias == null ? 0 : bias[i / plane % out[1]];
        }
        int outPerGroup = out[1] / plan.groups();
        int inPerGroup = in[1] / plan.groups();
        if (!plan.transposed() && outPerGroup > 1 && inPerGroup * taps() >= LEAST_DEPTH && y.length > 0) {
            multiply(x, w, y);
            return y;
        }
        for (int n = 0; n < in[0]; n++) {
            for (int o = 0; o < out[1]; o++) {
                int group = o / outPerGroup;
                for (int c = 0; c < inPerGroup; c++) {
                    int from = (n * in[1] + group * inPerGroup + c) * in[2] * in[3] * in[4];
                    int to = (n * out[1] + o) * plane;
                    int filter = plan.transposed()
                            ? (group * inPerGroup + c) * outPerGroup + o % outPerGroup
                            : o * inPerGroup + c;
                    channel(x, from, w, filter * weight[2] * weight[3] * weight[4], y, to);
                }
            }
        }
        return y;
    }

    private int taps() {
        return weight[2] * weight[3] * weight[4];
    }

    /**
     * Adds the products of filters and columns, with the larger of channels and pixels as the columns of the result.
     */
    private void multiply(double[] x, double[] w, double[] y) {
        int plane = out[2] * out[3] * out[4];
        int channels = out[1] / plan.groups();
        int depth = in[1] / plan.groups() * taps();
        int most = Math.max(1, COLUMNS / depth);
        for (int group = 0; group < plan.groups(); group++) {
            int filters = group * channels * depth;
            double[] turned = plane < channels ? DoubleProduct.transposed(w, filters, channels, depth) : null;
            for (int n = 0; n < in[0]; n++) {
                int to = (n * out[1] + group * channels) * plane;
                for (int pixel = 0; pixel < plane; pixel += most) {
                    int count = Math.min(most, plane - pixel);
                    double[] columns = columns(x, n, group, pixel, count);
                    if (turned == null) {
                        DoubleProduct.add(w, filters, columns, count, y, to + pixel, plane, channels, count, depth);
                    } else {
                        double[] sums = new double[count * channels];
                        DoubleProduct.add(
                                DoubleProduct.transposed(columns, 0, depth, count),
                                0,
                                turned,
                                channels,
                                sums,
                                0,
                                channels,
                                count,
                                channels,
                                depth);
                        for (int i = 0; i < sums.length; i++) {
                            y[to + i % channels * plane + pixel + i / channels] += sums[i];
                        }
                    }
                }
            }
        }
    }

    /** Of some pixels of the output, for each element of a filter what it meets there, 0 outside the input. */
    private double[] columns(double[] x, int n, int group, int pixel, int count) {
        int perGroup = in[1] / plan.groups();
        double[] columns = new double[Tensors.count(perGroup * taps(), count)];
        int at = 0;
        for (int element = 0; element < perGroup * taps(); element++) {
            int tap = element % taps();
            int channel = n * in[1] + group * perGroup + element / taps();
            int length;
            for (int i = pixel; i < pixel + count; i += length, at += length) {
                length = Math.min(out[4] - i % out[4], pixel + count - i);
                int d = position(i / (out[3] * out[4]), 0, tap / (weight[3] * weight[4]));
                int h = position(i / out[4] % out[3], 1, tap / weight[4] % weight[3]);
                if (d >= 0 && d < in[2] && h >= 0 && h < in[3]) {
                    gather(
                            x,
                            ((channel * in[2] + d) * in[3] + h) * in[4],
                            position(i % out[4], 2, tap % weight[4]),
                            columns,
                            at,
                            length);
                }
            }
        }
        return columns;
    }

    /** Copies what lies in a row of the input from {@code first} on, a stride apart. */
    private void gather(double[] x, int row, int first, double[] columns, int at, int count) {
        int step = plan.stride()[2];
        int begin = first >= 0 ? 0 : (step - 1 - first) / step;
        int end = first >= in[4] ? 0 : Math.min(count, (in[4] - 1 - first) / step + 1);
        for (int i = begin; i < end; i++) {
            columns[at + i] = x[row + first + i * step];
        }
    }

    /** Adds one input channel to one output channel. */
    private void channel(double[] x, int from, double[] w, int filter, double[] y, int to) {
        // A transposed convolution runs over inputs and scatters; an ordinary one runs over outputs and gathers.
        int[] run = plan.transposed() ? in : out;
        int[] other = plan.transposed() ? out : in;
        for (int kd = 0; kd < weight[2]; kd++) {
            for (int kh = 0; kh < weight[3]; kh++) {
                for (int kw = 0; kw < weight[4]; kw++) {
                    double factor = w[filter + (kd * weight[3] + kh) * weight[4] + kw];
                    for (int d = 0; d < run[2]; d++) {
                        int e = position(d, 0, kd);
                        for (int h = 0; e >= 0 && e < other[2] && h < run[3]; h++) {
                            int g = position(h, 1, kh);
                            if (g >= 0 && g < other[3]) {
                                row(
                                        x,
                                        from,
                                        y,
                                        to,
                                        factor,
                                        (d * run[3] + h) * run[4],
                                        (e * other[3] + g) * other[4],
                                        run[4],
                                        other[4],
                                        kw);
                            }
                        }
                    }
                }
            }
        }
    }

    /**
     * Adds a tap's products along a row: of what is run over, from {@code near} on, and of the other, from {@code far}
     * on.
     */
    private void row(
            double[] x,
            int from,
            double[] y,
            int to,
            double factor,
            int near,
            int far,
            int length,
            int others,
            int tap) {
        int step = plan.stride()[2];
        int first = position(0, 2, tap);
        int begin = first >= 0 ? 0 : (step - 1 - first) / step;
        int end = first >= others ? 0 : Math.min(length, (others - 1 - first) / step + 1);
        int count = end - begin;
        int nearAt = near + begin;
        int farAt = far + begin * step + first;
        if (!plan.transposed() && step == 1) {
            addProducts(y, to + nearAt, x, from + farAt, factor, count);
            return;
        }
        for (int i = 0; i < count; i++) {
            if (plan.transposed()) {
                y[to + farAt + i * step] += factor * x[from + nearAt + i];
            } else {
                y[to + nearAt + i] += factor * x[from + farAt + i * step];
            }
        }
    }

    /** By itself and without conditions, as a virtual machine then does several at once. */
    private static void addProducts(double[] y, int to, double[] x, int from, double factor, int count) {
        for (int i = 0; i < count; i++) {
            y[to + i] += factor * x[from + i];
        }
    }

    private int position(int at, int dim, int tap) {
        return at * plan.stride()[dim] + tap * plan.dilation()[dim] - plan.padding()[dim];
    }
}
