package org.torchnnapi.converter.free.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/** Convolutions that releases before NNAPI 1.2 lack, in those that they have; see {@link EarlierForms}. */
final class EarlierWindows {
    /** Weights of a window that is written out with its gaps, beside those that it has; more are too many. */
    private static final int MOST_GAPS = 64;

    private EarlierWindows() {
    }

    private static boolean isConstantFloat(Term weights) {
        return weights.isConstant() && weights.type() == OperandType.TENSOR_FLOAT32;
    }

    /** A dilated convolution between SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND, or with its gaps written out. */
    static Term dilated(NetBuilder net, Term image, Term weights, Term bias, Frame frame, boolean depthwise) {
        boolean plainSteps = frame.rows().stride() == 1 && frame.columns().stride() == 1;
        if (net.has(OperationType.SPACE_TO_BATCH_ND) && plainSteps && !image.isQuantized()) {
            return betweenBatches(net, image, weights, bias, frame, depthwise);
        }
        if (!isConstantFloat(weights)) {
            return null;
        }
        int[] dims = weights.dims();
        int height = frame.rows().dilation() * (dims[1] - 1) + 1;
        int width = frame.columns().dilation() * (dims[2] - 1) + 1;
        if ((long) height * width > (long) MOST_GAPS * dims[1] * dims[2]) {
            return null;
        }
        float[] from = net.values(weights);
        float[] to = new float[Math.multiplyExact(dims[0] * dims[3], height * width)];
        for (int o = 0; o < dims[0]; o++) {
            for (int y = 0; y < dims[1]; y++) {
                for (int x = 0; x < dims[2]; x++) {
                    int at = ((o * height + y * frame.rows().dilation()) * width + x * frame.columns().dilation()) * dims[3];
                    System.arraycopy(from, ((o * dims[1] + y) * dims[2] + x) * dims[3], to, at, dims[3]);
                }
            }
        }
        Frame.Axis rows = new Frame.Axis(height, frame.rows().stride(), frame.rows().before(), frame.rows().after(), 1);
        Frame.Axis columns = new Frame.Axis(width, frame.columns().stride(), frame.columns().before(), frame.columns().after(), 1);
        return net.windows().convolution(image, net.floats(to, dims[0], height, width, dims[3]), bias, new Frame(rows, columns), 1, depthwise, 0, 0, 0);
    }

    private static Term betweenBatches(NetBuilder net, Term image, Term weights, Term bias, Frame frame, boolean depthwise) {
        int[] dims = image.dims();
        int[] block = {frame.rows().dilation(), frame.columns().dilation()};
        int[] out = {frame.rows().count(dims[1]), frame.columns().count(dims[2])};
        int[] after = {filling(dims[1], frame.rows(), block[0]), filling(dims[2], frame.columns(), block[1])};
        Term parts = net.windows().spaceToBatch(image, block, new int[] {frame.rows().before(), after[0], frame.columns().before(), after[1]});
        Frame plain = new Frame(new Frame.Axis(frame.rows().kernel(), 1, 0, 0, 1), new Frame.Axis(frame.columns().kernel(), 1, 0, 0, 1));
        Term made = net.windows().batchToSpace(net.windows().convolution(parts, weights, bias, plain, 1, depthwise, 0, 0, 0), block);
        return net.slice(net.slice(made, 1, 0, out[0], 1), 2, 0, out[1], 1);
    }

    /** Padding at the end that makes the padded size a multiple of the block. */
    private static int filling(int size, Frame.Axis axis, int block) {
        int padded = size + axis.before() + axis.after();
        return axis.after() + Math.floorMod(-padded, block);
    }

    /** A grouped convolution as one of each group, or where channels cannot be cut as one with weights of 0 between the groups. */
    static Term grouped(NetBuilder net, Term image, Term weights, Term bias, Frame frame, int groups) {
        if (!isConstantFloat(weights) || !isConstantFloat(bias)) {
            return null;
        }
        int[] dims = weights.dims();
        int filters = dims[0] / groups;
        int own = dims[1] * dims[2] * dims[3];
        float[] all = net.values(weights);
        if (net.has(OperationType.STRIDED_SLICE)) {
            List<Term> parts = new ArrayList<>();
            float[] offsets = net.values(bias);
            for (int g = 0; g < groups; g++) {
                Term filter = net.floats(Arrays.copyOfRange(all, g * filters * own, (g + 1) * filters * own), filters, dims[1], dims[2], dims[3]);
                Term offset = net.floats(Arrays.copyOfRange(offsets, g * filters, (g + 1) * filters), filters);
                parts.add(net.windows().convolution(net.slice(image, 3, g * dims[3], (g + 1) * dims[3], 1), filter, offset, frame, 1, false, 0, 0, 0));
            }
            return net.concatenate(parts, 3);
        }
        int channels = dims[3] * groups;
        float[] dense = new float[Math.multiplyExact(all.length, groups)];
        for (int pixel = 0; pixel < dims[0] * dims[1] * dims[2]; pixel++) {
            int group = pixel / (dims[1] * dims[2]) / filters;
            System.arraycopy(all, pixel * dims[3], dense, pixel * channels + group * dims[3], dims[3]);
        }
        return net.windows().convolution(image, net.floats(dense, dims[0], dims[1], dims[2], channels), bias, frame, 1, false, 0, 0, 0);
    }

    /** A transposed convolution as one of an image with zeros between its pixels, whose weights are turned round. */
    static Term transposed(NetBuilder net, Term image, Term weights, Term bias, Frame frame) {
        if (!isConstantFloat(weights)) {
            return null;
        }
        int[] dims = image.dims();
        int[] sizes = weights.dims();
        Term spread = spread(net, spread(net, image, 2, frame.columns().stride()), 1, frame.rows().stride());
        Frame.Axis rows = turned(frame.rows());
        Frame.Axis columns = turned(frame.columns());
        spread = net.slice(spread, 1, Math.max(0, -rows.before()), dims[1] * frame.rows().stride() + Math.min(0, rows.after()), 1);
        spread = net.slice(spread, 2, Math.max(0, -columns.before()), dims[2] * frame.columns().stride() + Math.min(0, columns.after()), 1);
        float[] from = net.values(weights);
        float[] to = new float[from.length];
        for (int o = 0; o < sizes[0]; o++) {
            for (int y = 0; y < sizes[1]; y++) {
                for (int x = 0; x < sizes[2]; x++) {
                    int at = ((o * sizes[1] + sizes[1] - 1 - y) * sizes[2] + sizes[2] - 1 - x) * sizes[3];
                    System.arraycopy(from, ((o * sizes[1] + y) * sizes[2] + x) * sizes[3], to, at, sizes[3]);
                }
            }
        }
        Frame plain = new Frame(positive(rows), positive(columns));
        return net.windows().convolution(spread, net.floats(to, sizes), bias, plain, 1, false, 0, 0, 0);
    }

    /** The window over the spread image, which ends with {@code stride - 1} zeros. */
    private static Frame.Axis turned(Frame.Axis axis) {
        int reach = axis.kernel() - 1;
        return new Frame.Axis(axis.kernel(), 1, reach - axis.before(), reach - axis.after() - (axis.stride() - 1), 1);
    }

    private static Frame.Axis positive(Frame.Axis axis) {
        return new Frame.Axis(axis.kernel(), 1, Math.max(0, axis.before()), Math.max(0, axis.after()), 1);
    }

    /** {@code stride - 1} zeros behind each element of a dimension. */
    private static Term spread(NetBuilder net, Term image, int dimension, int stride) {
        if (stride == 1) {
            return image;
        }
        int[] dims = image.dims();
        int outer = EarlierForms.product(dims, 0, dimension + 1);
        int inner = EarlierForms.product(dims, dimension + 1, dims.length);
        Term wide = net.concatenate(List.of(net.reshape(image, outer, inner), net.filled(image, new int[] {outer, (stride - 1) * inner}, 0)), 1);
        int[] to = dims.clone();
        to[dimension] *= stride;
        return net.reshape(wide, to);
    }
}
