package org.torchnnapi.program.internal;

import java.util.List;
import org.torchnnapi.kernels.FloatWidening;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.ReductionKernel;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * The sums of each channel over some rows of an image after the other: threads that have computed some rows each take
 * those, and need not wait for each other. How many parts there are does not depend on how many threads there are.
 *
 * @param order in which the images' dimensions are declared, NCHW or NHWC
 */
record SumsOfRows(ImageLayout order) implements Op {
    /** Pixels of a part, at least: of smaller images parts are more work than their sums. */
    private static final int LEAST_PIXELS = 96;
    /** Enough for a few threads, and few to be added up. */
    private static final int MOST_PARTS = 8;

    private static int width(ValueType images, ImageLayout order) {
        return images.dimension(order == ImageLayout.NCHW ? 3 : 2);
    }

    private static int height(ValueType images, ImageLayout order) {
        return images.dimension(order == ImageLayout.NCHW ? 2 : 1);
    }

    static int parts(ValueType images, ImageLayout order) {
        int rows = height(images, order);
        long most = Math.min(rows, (long) rows * width(images, order) / LEAST_PIXELS);
        // A power of two, which even numbers of threads divide.
        return Integer.highestOneBit((int) Math.max(1, Math.min(MOST_PARTS, most)));
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType images = inputs.get(0);
        int step = FloatWidening.Squeeze.step(images.dimension(ImageStorage.channelAxis(order)));
        return ValueType.floats(images.dimension(0), parts(images, order), step);
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        return null;
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        return new LayoutAssignment(
                new ImageStorage[] {ImageStorage.of(order, ImageLayout.BLOCKED)}, ImageStorage.DECLARED);
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        int channels = in.type().dimension(ImageStorage.channelAxis(order));
        int block = ImageLayout.BLOCKED.block(channels);
        int height = height(in.type(), order);
        int width = in.imageSize() / ImageLayout.BLOCKED.size(channels, height, 1);
        int parts = parts(in.type(), order);
        int step = out.type().dimension(2);
        return Step.images(in.type().dimension(0), parts, memory -> {
            float[] from = in.floats(memory);
            float[] to = out.floats(memory);
            return (image, begin, end) -> {
                for (int part = begin; part < end; part++) {
                    int first = part * height / parts;
                    int count = ((part + 1) * height / parts - first) * width;
                    for (int c = 0; c < channels; c += block) {
                        ReductionKernel.SUM.run(
                                from,
                                in.at(memory) + image * in.imageSize() + c * height * width + first * width * block,
                                to,
                                out.at(memory) + (image * parts + part) * step + c,
                                count,
                                block,
                                0,
                                1);
                    }
                }
            };
        });
    }

    @Override
    public String label() {
        return "sums of rows";
    }
}
