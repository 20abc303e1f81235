package org.torchnnapi.program.op;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.IntStream;
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
 * A reduction of floats over adjacent axes, such as height and width; sums are rounded as {@link ReductionKernel#run}
 * says.
 *
 * @param axes negative ones count from the back
 * @param keep whether the axes stay, with one element each
 */
public record ReduceOp(ReductionKernel reduction, int[] axes, boolean keep) implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        return ReducedAxes.result(Require.floats("input", Require.only(inputs)), axes, keep);
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        ValueType in = inputs.get(0);
        ReducedAxes reduced = ReducedAxes.of(in, axes);
        return reduced.isSpatial(in, ImageStorage.CHANNELS_LAST) || reduced.isSpatial(in, ImageStorage.CHANNELS_FIRST)
                ? null
                : ImageStorage.DECLARED;
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        boolean spatial = ReducedAxes.of(inputs.get(0), axes).isSpatial(inputs.get(0), actual[0]);
        return new LayoutAssignment(
                new ImageStorage[] {spatial ? actual[0] : ImageStorage.DECLARED}, ImageStorage.DECLARED);
    }

    /** A dimension beside one that is reduced is reduced too, so that height and width are. */
    @Override
    public Op expanded(int rank, int axis) {
        int[] reduced = Arrays.stream(axes).map(one -> Require.axis(one, rank)).toArray();
        boolean isBeside = Arrays.stream(reduced).anyMatch(one -> one == axis || one == axis - 1);
        IntStream moved = Arrays.stream(reduced).map(one -> one < axis ? one : one + 1);
        return new ReduceOp(
                reduction, (isBeside ? IntStream.concat(moved, IntStream.of(axis)) : moved).toArray(), keep);
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        ReducedAxes extents = ReducedAxes.of(in.type(), axes);
        if (in.storage() != ImageStorage.DECLARED) {
            return images(operands, extents.reduced());
        }
        return OneInput.floats(
                        operands,
                        extents.outer(),
                        (from, at, to, target, begin, end) -> reduction.run(
                                from,
                                at + begin * extents.reduced() * extents.inner(),
                                to,
                                target + begin * extents.inner(),
                                extents.reduced(),
                                extents.inner(),
                                0,
                                end - begin))
                .joined(in.size());
    }

    /** Over the pixels of images that lie otherwise than declared, block of channels by block. */
    private Step images(Operands operands, int pixels) {
        PlacedValue in = operands.in(0);
        ImageLayout layout = in.storage().layout(null);
        int channels = in.type().dimension(ImageStorage.channelAxis(in.storage().order()));
        int block = layout.block(channels);
        int blocks = (channels + block - 1) / block;
        return OneInput.floats(operands, in.type().dimension(0) * blocks, (from, at, to, out, begin, end) -> {
                    for (int unit = begin; unit < end; ) {
                        int first = unit % blocks * block;
                        int source = at + unit * pixels * block;
                        int target = out + unit / blocks * channels + first;
                        int whole = Math.min(end - unit, (channels - first) / block);
                        if (whole > 0) {
                            reduction.run(from, source, to, target, pixels, block, 0, whole);
                            unit += whole;
                        } else {
                            reduction.runRows(from, source, block, to, target, pixels, channels - first);
                            unit++;
                        }
                    }
                })
                .joinedChannels(in.size());
    }

    @Override
    public String label() {
        return reduction.name().toLowerCase(Locale.ROOT) + " over " + Arrays.toString(axes);
    }
}
