package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.GroupNorm;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Normalization of groups of channels over all other axes but the first, by their own mean and variance; see
 * {@link org.torchnnapi.kernels.GroupNorm}.
 *
 * @param order NCHW: axis 1 has the channels, whatever the rank; NHWC: of images of rank 4 axis 3 has
 * @param scale one a channel, or null for all 1; kept
 * @param shift one a channel, or null for all 0; kept
 */
public record GroupNormOp(ImageLayout order, int groups, float epsilon, float[] scale, float[] shift) implements Op {
    /** Of channels that axis 1 has. */
    public GroupNormOp(int groups, float epsilon, float[] scale, float[] shift) {
        this(ImageLayout.NCHW, groups, epsilon, scale, shift);
    }

    private int channels(ValueType type) {
        return type.dimension(ImageStorage.channelAxis(order));
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType in = Require.floats("input", Require.only(inputs));
        boolean hasChannels = order == ImageLayout.NCHW ? in.rank() >= 2 : in.rank() == 4;
        if (!hasChannels || groups < 1 || channels(in) % groups != 0) {
            throw new IllegalArgumentException("groups: " + groups + " (expected: a divisor of axis "
                    + ImageStorage.channelAxis(order) + " of " + in + ")");
        }
        return in;
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        return output != null && covers(inputs.get(0), output)
                ? output
                : order == ImageLayout.NCHW ? null : unlike(inputs.get(0));
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        return LayoutAssignment.all(
                1,
                covers(inputs.get(0), actual[0])
                        ? actual[0]
                        : order == ImageLayout.NCHW ? ImageStorage.DECLARED : unlike(inputs.get(0)));
    }

    /** How images lie that are declared as the kernel does not take them. */
    private ImageStorage unlike(ValueType type) {
        ImageStorage blocked = ImageStorage.of(order, ImageLayout.BLOCKED);
        return Kernels.preferredFloatLayout() == ImageLayout.BLOCKED && covers(type, blocked)
                ? blocked
                : ImageStorage.of(order, ImageLayout.NCHW);
    }

    private boolean covers(ValueType type, ImageStorage storage) {
        return storage.suits(order)
                && type.rank() >= 2
                && GroupNorm.covers(storage.layout(order), channels(type), groups);
    }

    @Override
    public Op expanded(int rank, int axis) {
        return order == ImageLayout.NCHW && axis > ImageStorage.channelAxis(order) ? this : null;
    }

    @Override
    public boolean overwrites(Operands operands, int input) {
        return true;
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        int channels = channels(in.type());
        int pixels = order == ImageLayout.NCHW
                ? in.type().count(2, in.type().rank())
                : in.type().count(1, 3);
        ImageLayout layout = in.storage().layout(order);
        GroupNorm norm = GroupNorm.plan(layout, channels, groups, pixels, epsilon, scale, shift);
        return OneInput.floatImages(operands, norm.units(), norm::run);
    }

    @Override
    public long packedBytes() {
        return scale == null ? 0 : 2L * scale.length * Float.BYTES;
    }

    @Override
    public long weightWork(Operands operands) {
        ValueType type = operands.out().type();
        return packedBytes() * (type.count() / channels(type));
    }

    @Override
    public String label() {
        return "group norm in " + groups;
    }
}
