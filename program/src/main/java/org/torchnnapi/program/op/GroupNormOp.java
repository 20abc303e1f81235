package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.StorageArrangement;
import org.torchnnapi.program.ValueType;

/**
 * Normalization of groups of channels, axis 1, over all axes behind, by their own mean and variance; see
 * {@link org.torchnnapi.kernels.GroupNorm}.
 *
 * @param scale one a channel, or null for all 1; kept
 * @param shift one a channel, or null for all 0; kept
 */
public record GroupNormOp(int groups, float epsilon, float[] scale, float[] shift) implements Op {
    @Override
    public ValueType result(List<ValueType> inputs) {
        ValueType in = Require.floats("input", Require.only(inputs));
        if (in.rank() < 2 || groups < 1 || in.dimension(1) % groups != 0) {
            throw new IllegalArgumentException("groups: " + groups + " (expected: a divisor of axis 1 of " + in + ")");
        }
        return in;
    }

    @Override
    public ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        return output != null && covers(inputs.get(0), output) ? output : null;
    }

    @Override
    public StorageArrangement arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        return StorageArrangement.all(1, covers(inputs.get(0), actual[0]) ? actual[0] : ImageStorage.DECLARED);
    }

    private boolean covers(ValueType type, ImageStorage storage) {
        return storage == ImageStorage.DECLARED || storage == ImageStorage.BLOCKED_NCHW
            && org.torchnnapi.kernels.GroupNorm.covers(ImageLayout.BLOCKED, type.dimension(1), groups);
    }

    @Override
    public boolean overwrites(Operands operands, int input) {
        return true;
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        int channels = in.type().dimension(1);
        int pixels = in.type().count(2, in.type().rank());
        ImageLayout layout = in.storage().layout(ImageLayout.NCHW);
        org.torchnnapi.kernels.GroupNorm norm = org.torchnnapi.kernels.GroupNorm.plan(layout, channels, groups, pixels, epsilon, scale, shift);
        return OneInput.floatImages(operands, norm.units(), norm::run);
    }

    @Override
    public long packedBytes() {
        return scale == null ? 0 : 2L * scale.length * Float.BYTES;
    }

    @Override
    public long weightWork(Operands operands) {
        ValueType type = operands.out().type();
        return packedBytes() * (type.count() / type.dimension(1));
    }

    @Override
    public String label() {
        return "group norm in " + groups;
    }
}
