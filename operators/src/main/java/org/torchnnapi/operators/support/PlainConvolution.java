package org.torchnnapi.operators.support;

/** Convolution over any spatial dimensions in double, for what the fast kernels do not cover: three dimensions and float64. */
public final class PlainConvolution {
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
    public static double[] run(ConvolutionPlan plan, double[] x, int[] in, double[] w, int[] weight, double[] bias, int[] out) {
        ConvolutionPlan wide = new ConvolutionPlan(widen(plan.stride(), 1), widen(plan.padding(), 0), widen(plan.dilation(), 1),
            plan.transposed(), widen(plan.outputPadding(), 0), plan.groups());
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
        for (int n = 0; n < in[0]; n++) {
            for (int o = 0; o < out[1]; o++) {
                int group = o / outPerGroup;
                for (int c = 0; c < inPerGroup; c++) {
                    int from = (n * in[1] + group * inPerGroup + c) * in[2] * in[3] * in[4];
                    int to = (n * out[1] + o) * plane;
                    int filter = plan.transposed() ? (group * inPerGroup + c) * outPerGroup + o % outPerGroup : o * inPerGroup + c;
                    channel(x, from, w, filter * weight[2] * weight[3] * weight[4], y, to);
                }
            }
        }
        return y;
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
                                row(x, from, y, to, factor, (d * run[3] + h) * run[4], (e * other[3] + g) * other[4], run[4], other[4], kw);
                            }
                        }
                    }
                }
            }
        }
    }

    /** Adds a tap's products along a row: of what is run over, from {@code near} on, and of the other, from {@code far} on. */
    private void row(double[] x, int from, double[] y, int to, double factor, int near, int far, int length, int others, int tap) {
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
