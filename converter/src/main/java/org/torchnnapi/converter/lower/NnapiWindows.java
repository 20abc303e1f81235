package org.torchnnapi.converter.lower;

import java.util.Arrays;
import org.torchnnapi.converter.model.FuseCode;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * Adds operations with windows over images, or regions of them, which are N, H, W, C, each in its shortest legal
 * signature.
 */
final class NnapiWindows {
    private final NnapiBuilder nnapi;

    NnapiWindows(NnapiBuilder nnapi) {
        this.nnapi = nnapi;
    }

    /** A convolution of tensors without a scale. */
    OperandRef convolution(
            OperandRef image, OperandRef weights, OperandRef bias, LoweringFrame frame, int groups, boolean depthwise) {
        return convolution(image, weights, bias, frame, groups, depthwise, 0, 0, 0);
    }

    /**
     * CONV_2D, DEPTHWISE_CONV_2D (weights (1, height, width, out)) or GROUPED_CONV_2D, whichever the groups ask for.
     *
     * @param weights (out, height, width, in / groups)
     */
    OperandRef convolution(
            OperandRef image,
            OperandRef weights,
            OperandRef bias,
            LoweringFrame frame,
            int groups,
            boolean depthwise,
            int fuse,
            double scale,
            int zeroPoint) {
        boolean dilated = frame.isDilated();
        OperandRef earlier = null;
        if (groups != 1 && (dilated || !nnapi.has(OperationType.GROUPED_CONV_2D))) {
            earlier = DownlevelWindows.grouped(nnapi, image, weights, bias, frame, groups, fuse, scale, zeroPoint);
        } else if (dilated && !nnapi.target.has(OperationType.CONV_2D, "dilationWidth")) {
            earlier = DownlevelWindows.dilated(nnapi, image, weights, bias, frame, depthwise);
        }
        if (earlier != null) {
            return earlier;
        }
        int channels = weights.dims()[depthwise ? 3 : 0];
        OperandRef out = nnapi.fresh(
                image.type(),
                scale,
                zeroPoint,
                image.dims()[0],
                frame.rows().count(image.dims()[1]),
                frame.columns().count(image.dims()[2]),
                channels);
        Operands inputs = new Operands(image.id(), weights.id(), bias.id());
        steps(inputs, frame);
        OperationType type = OperationType.CONV_2D;
        if (depthwise) {
            type = OperationType.DEPTHWISE_CONV_2D;
            inputs.add(channels / image.dims()[3]);
        } else if (groups != 1) {
            type = OperationType.GROUPED_CONV_2D;
            inputs.add(groups);
        }
        inputs.add(fuse);
        if (type == OperationType.GROUPED_CONV_2D || dilated) {
            inputs.flag(false);
        }
        if (dilated) {
            inputs.add(frame.columns().dilation(), frame.rows().dilation());
        }
        return nnapi.result(type, out, inputs.ids());
    }

    /** Padding and strides. */
    private static void steps(Operands inputs, LoweringFrame frame) {
        inputs.add(
                frame.columns().before(),
                frame.columns().after(),
                frame.rows().before(),
                frame.rows().after());
        inputs.add(frame.columns().stride(), frame.rows().stride());
    }

    /** A transposed convolution of tensors without a scale. */
    OperandRef transposedConvolution(OperandRef image, OperandRef weights, OperandRef bias, LoweringFrame frame) {
        return transposedConvolution(image, weights, bias, frame, 0, 0);
    }

    /** @param weights (out, height, width, in) */
    OperandRef transposedConvolution(
            OperandRef image, OperandRef weights, OperandRef bias, LoweringFrame frame, double scale, int zeroPoint) {
        OperandRef earlier = nnapi.has(OperationType.TRANSPOSE_CONV_2D)
                ? null
                : DownlevelWindows.transposed(nnapi, image, weights, bias, frame);
        if (earlier != null) {
            return earlier;
        }
        OperandRef out = nnapi.fresh(
                image.type(),
                scale,
                zeroPoint,
                image.dims()[0],
                frame.rows().extent(image.dims()[1]),
                frame.columns().extent(image.dims()[2]),
                weights.dims()[0]);
        Operands inputs = new Operands(image.id(), weights.id(), bias.id());
        steps(inputs, frame);
        inputs.add(FuseCode.NONE);
        inputs.flag(false);
        return nnapi.result(OperationType.TRANSPOSE_CONV_2D, out, inputs.ids());
    }

    /**
     * The pixels of each block by themselves, one batch for each place in a block; {@code padding} is top, bottom, left
     * and right.
     */
    OperandRef spaceToBatch(OperandRef image, int[] block, int[] padding) {
        int[] dims = image.dims();
        OperandRef out = nnapi.fresh(
                image.type(),
                image.scale(),
                image.zeroPoint(),
                dims[0] * block[0] * block[1],
                (dims[1] + padding[0] + padding[1]) / block[0],
                (dims[2] + padding[2] + padding[3]) / block[1],
                dims[3]);
        return nnapi.result(
                OperationType.SPACE_TO_BATCH_ND,
                out,
                image.id(),
                nnapi.model.vector(block),
                nnapi.model.tensor(padding, 2, 2));
    }

    /** What {@link #spaceToBatch} took apart. */
    OperandRef batchToSpace(OperandRef image, int... block) {
        int[] dims = image.dims();
        OperandRef out = nnapi.fresh(
                image.type(),
                image.scale(),
                image.zeroPoint(),
                dims[0] / (block[0] * block[1]),
                dims[1] * block[0],
                dims[2] * block[1],
                dims[3]);
        return nnapi.result(OperationType.BATCH_TO_SPACE_ND, out, image.id(), nnapi.model.vector(block));
    }

    /** An image with the padding that windows have. */
    OperandRef padded(OperandRef image, LoweringFrame frame, double value) {
        return frame.isPadded()
                ? nnapi.pad(
                        image,
                        new int[] {0, frame.rows().before(), frame.columns().before(), 0},
                        new int[] {0, frame.rows().after(), frame.columns().after(), 0},
                        value)
                : image;
    }

    /** What one place of all windows along a dimension meets, whose padding is there. */
    OperandRef met(OperandRef in, int dimension, LoweringFrame.Axis axis, int place, int count) {
        int from = place * axis.dilation();
        return nnapi.slice(in, dimension, from, from + (count - 1) * axis.stride() + 1, axis.stride());
    }

    /** AVERAGE_POOL_2D, which does not count padding, or MAX_POOL_2D. */
    OperandRef pool(OperationType type, OperandRef image, LoweringFrame frame) {
        OperandRef out = nnapi.fresh(
                image.type(),
                image.scale(),
                image.zeroPoint(),
                image.dims()[0],
                frame.rows().count(image.dims()[1]),
                frame.columns().count(image.dims()[2]),
                image.dims()[3]);
        Operands inputs = new Operands(image.id());
        steps(inputs, frame);
        inputs.add(frame.columns().kernel(), frame.rows().kernel(), FuseCode.NONE);
        return nnapi.result(type, out, inputs.ids());
    }

    /** RESIZE_BILINEAR or RESIZE_NEAREST_NEIGHBOR to a size in pixels. */
    OperandRef resize(
            OperationType type, OperandRef image, int height, int width, boolean alignCorners, boolean halfPixels) {
        boolean repeats =
                type == OperationType.RESIZE_NEAREST_NEIGHBOR && !nnapi.has(type) && !alignCorners && !halfPixels;
        OperandRef earlier = repeats ? DownlevelForms.nearest(nnapi, image, height, width) : null;
        if (earlier != null) {
            return earlier;
        }
        OperandRef out = nnapi.fresh(
                image.type(), image.scale(), image.zeroPoint(), image.dims()[0], height, width, image.dims()[3]);
        Operands inputs = new Operands(image.id());
        inputs.add(width, height);
        if (alignCorners || halfPixels || type == OperationType.RESIZE_NEAREST_NEIGHBOR) {
            inputs.flag(false);
        }
        if (alignCorners || halfPixels) {
            inputs.flag(alignCorners);
            inputs.flag(halfPixels);
        }
        return nnapi.result(type, out, inputs.ids());
    }

    /**
     * ROI_ALIGN.
     *
     * @param regions corners (x1, y1, x2, y2), in pixels of what is {@code scale} times as large as the image
     * @param images the number of each region's image
     * @param samples in each direction of an output pixel, 0 for as many as it covers
     */
    OperandRef regions(
            OperandRef image, OperandRef regions, OperandRef images, int height, int width, double scale, int samples) {
        OperandRef out = nnapi.fresh(
                image.type(), image.scale(), image.zeroPoint(), regions.dims()[0], height, width, image.dims()[3]);
        Operands inputs = new Operands(image.id(), regions.id(), images.id());
        inputs.add(height, width);
        inputs.append(nnapi.model.float32((float) scale));
        inputs.append(nnapi.model.float32((float) scale));
        inputs.add(samples, samples);
        inputs.flag(false);
        return nnapi.result(OperationType.ROI_ALIGN, out, inputs.ids());
    }

    /** Collects the operands of an operation. */
    private final class Operands {
        private int[] ids;

        Operands(int... tensors) {
            ids = tensors;
        }

        void add(int... values) {
            for (int value : values) {
                append(nnapi.model.int32(value));
            }
        }

        void flag(boolean value) {
            append(nnapi.model.bool(value));
        }

        private void append(int id) {
            ids = Arrays.copyOf(ids, ids.length + 1);
            ids[ids.length - 1] = id;
        }

        int[] ids() {
            return ids;
        }
    }
}
