package org.torchnnapi.converter.lower;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/** Convolutions that releases before NNAPI 1.2 lack, in those that they have; see {@link DownlevelForms}. */
final class DownlevelWindows {
    /** Weights of a window that is written out with its gaps, beside those that it has; more are too many. */
    private static final int MOST_GAPS = 64;

    private DownlevelWindows() {}

    private static boolean isConstantFloat(OperandRef weights) {
        return weights.isConstant() && weights.type() == OperandType.TENSOR_FLOAT32;
    }

    /** A dilated convolution between SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND, or with its gaps written out. */
    static OperandRef dilated(
            NnapiBuilder nnapi,
            OperandRef image,
            OperandRef weights,
            OperandRef bias,
            LoweringFrame frame,
            boolean depthwise) {
        boolean plainSteps = frame.rows().stride() == 1 && frame.columns().stride() == 1;
        if (nnapi.has(OperationType.SPACE_TO_BATCH_ND) && plainSteps && !image.isQuantized()) {
            return betweenBatches(nnapi, image, weights, bias, frame, depthwise);
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
        float[] to = Convolutions.spread(
                nnapi.values(weights),
                dims,
                frame.rows().dilation(),
                frame.columns().dilation());
        LoweringFrame dense =
                new LoweringFrame(Convolutions.dense(frame.rows(), height), Convolutions.dense(frame.columns(), width));
        return nnapi.windows()
                .convolution(image, nnapi.floats(to, dims[0], height, width, dims[3]), bias, dense, 1, depthwise);
    }

    private static OperandRef betweenBatches(
            NnapiBuilder nnapi,
            OperandRef image,
            OperandRef weights,
            OperandRef bias,
            LoweringFrame frame,
            boolean depthwise) {
        int[] dims = image.dims();
        int[] block = {frame.rows().dilation(), frame.columns().dilation()};
        int[] out = {frame.rows().count(dims[1]), frame.columns().count(dims[2])};
        int[] after = {filling(dims[1], frame.rows(), block[0]), filling(dims[2], frame.columns(), block[1])};
        OperandRef parts = nnapi.windows().spaceToBatch(image, block, new int[] {
            frame.rows().before(), after[0], frame.columns().before(), after[1]
        });
        LoweringFrame plain = new LoweringFrame(
                new LoweringFrame.Axis(frame.rows().kernel(), 1, 0, 0, 1),
                new LoweringFrame.Axis(frame.columns().kernel(), 1, 0, 0, 1));
        OperandRef made = nnapi.windows()
                .batchToSpace(nnapi.windows().convolution(parts, weights, bias, plain, 1, depthwise), block);
        return nnapi.slice(nnapi.slice(made, 1, 0, out[0], 1), 2, 0, out[1], 1);
    }

    /** Padding at the end that makes the padded size a multiple of the block. */
    private static int filling(int size, LoweringFrame.Axis axis, int block) {
        int padded = size + axis.before() + axis.after();
        return axis.after() + Math.floorMod(-padded, block);
    }

    /**
     * A grouped convolution, which GROUPED_CONV_2D is not if it is dilated, as one of each group; or where channels
     * cannot be cut as one with weights of 0 between the groups.
     */
    static OperandRef grouped(
            NnapiBuilder nnapi,
            OperandRef image,
            OperandRef weights,
            OperandRef bias,
            LoweringFrame frame,
            int groups,
            int fuse,
            double scale,
            int zeroPoint) {
        int[] dims = weights.dims();
        int filters = dims[0] / groups;
        if (weights.type() == OperandType.TENSOR_QUANT8_SYMM_PER_CHANNEL) {
            return null;
        }
        if (nnapi.has(OperationType.STRIDED_SLICE)) {
            List<OperandRef> parts = new ArrayList<>();
            for (int g = 0; g < groups; g++) {
                parts.add(nnapi.windows()
                        .convolution(
                                nnapi.slice(image, 3, g * dims[3], (g + 1) * dims[3], 1),
                                nnapi.rows(weights, g * filters, filters),
                                nnapi.rows(bias, g * filters, filters),
                                frame,
                                1,
                                false,
                                fuse,
                                scale,
                                zeroPoint));
            }
            return nnapi.concatenate(parts, 3);
        }
        if (!isConstantFloat(weights)) {
            return null;
        }
        float[] all = nnapi.values(weights);
        int channels = dims[3] * groups;
        float[] dense = new float[Math.multiplyExact(all.length, groups)];
        for (int pixel = 0; pixel < dims[0] * dims[1] * dims[2]; pixel++) {
            int group = pixel / (dims[1] * dims[2]) / filters;
            System.arraycopy(all, pixel * dims[3], dense, pixel * channels + group * dims[3], dims[3]);
        }
        return nnapi.windows()
                .convolution(image, nnapi.floats(dense, dims[0], dims[1], dims[2], channels), bias, frame, 1, false);
    }

    /** A transposed convolution as one of an image with zeros between its pixels, whose weights are turned round. */
    static OperandRef transposed(
            NnapiBuilder nnapi, OperandRef image, OperandRef weights, OperandRef bias, LoweringFrame frame) {
        if (!isConstantFloat(weights)) {
            return null;
        }
        int[] dims = image.dims();
        int[] sizes = weights.dims();
        OperandRef spread = spread(
                nnapi,
                spread(nnapi, image, 2, frame.columns().stride()),
                1,
                frame.rows().stride());
        LoweringFrame.Axis rows = turned(frame.rows());
        LoweringFrame.Axis columns = turned(frame.columns());
        spread = nnapi.slice(
                spread, 1, Math.max(0, -rows.before()), dims[1] * frame.rows().stride() + Math.min(0, rows.after()), 1);
        spread = nnapi.slice(
                spread,
                2,
                Math.max(0, -columns.before()),
                dims[2] * frame.columns().stride() + Math.min(0, columns.after()),
                1);
        float[] from = nnapi.values(weights);
        float[] to = new float[from.length];
        for (int o = 0; o < sizes[0]; o++) {
            for (int y = 0; y < sizes[1]; y++) {
                for (int x = 0; x < sizes[2]; x++) {
                    int at = ((o * sizes[1] + sizes[1] - 1 - y) * sizes[2] + sizes[2] - 1 - x) * sizes[3];
                    System.arraycopy(from, ((o * sizes[1] + y) * sizes[2] + x) * sizes[3], to, at, sizes[3]);
                }
            }
        }
        LoweringFrame plain = new LoweringFrame(positive(rows), positive(columns));
        return nnapi.windows().convolution(spread, nnapi.floats(to, sizes), bias, plain, 1, false);
    }

    /** The window over the spread image, which ends with {@code stride - 1} zeros. */
    private static LoweringFrame.Axis turned(LoweringFrame.Axis axis) {
        int reach = axis.kernel() - 1;
        return new LoweringFrame.Axis(
                axis.kernel(), 1, reach - axis.before(), reach - axis.after() - (axis.stride() - 1), 1);
    }

    private static LoweringFrame.Axis positive(LoweringFrame.Axis axis) {
        return new LoweringFrame.Axis(axis.kernel(), 1, Math.max(0, axis.before()), Math.max(0, axis.after()), 1);
    }

    /** {@code stride - 1} zeros behind each element of a dimension. */
    private static OperandRef spread(NnapiBuilder nnapi, OperandRef image, int dimension, int stride) {
        if (stride == 1) {
            return image;
        }
        int[] dims = image.dims();
        int outer = Shapes.product(dims, 0, dimension + 1);
        int inner = Shapes.product(dims, dimension + 1, dims.length);
        OperandRef wide = nnapi.concatenate(
                List.of(
                        nnapi.reshape(image, outer, inner),
                        nnapi.filled(image, new int[] {outer, (stride - 1) * inner}, 0)),
                1);
        int[] to = dims.clone();
        to[dimension] *= stride;
        return nnapi.reshape(wide, to);
    }
}
