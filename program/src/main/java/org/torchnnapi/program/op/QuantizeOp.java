package org.torchnnapi.program.op;

import java.util.List;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.LayoutConversion;
import org.torchnnapi.kernels.Machine;
import org.torchnnapi.kernels.Quantizing;
import org.torchnnapi.program.ByteQuantization;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/**
 * Floats to bytes by one of the rules of {@link Quantizing}; of pictures whose channels lie apart the bytes are laid
 * together where that is wished.
 */
public record QuantizeOp(ByteQuantization output, Quantizing.Rule rule) implements ElementwiseOp {
    /** Channels of a picture, at most. */
    private static final int PICTURE = 4;

    /** Pixels of a unit are a multiple of this, so that vectors begin with them. */
    private static final int TOGETHER = 64;

    private static final ThreadLocal<byte[]> APART = ThreadLocal.withInitial(() -> new byte[0]);

    /** Pixels whose channels are laid together at once, in the nearest cache: floats, bytes, and bytes together. */
    private static int pixelsAtOnce(int channels) {
        int fitting = Machine.current().firstCache() / (channels * (Float.BYTES + 2));
        return Math.max(1, fitting / TOGETHER) * TOGETHER;
    }

    private static byte[] apart(int bytes) {
        byte[] apart = APART.get();
        if (apart.length < bytes) {
            apart = new byte[bytes];
            APART.set(apart);
        }
        return apart;
    }

    @Override
    public ValueType result(List<ValueType> inputs) {
        return ValueType.bytes(
                output, Require.floats("input", Require.only(inputs)).shape());
    }

    @Override
    public boolean overwrites(Operands operands, int input) {
        return false;
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        ValueType type = inputs.get(0);
        boolean together = actual[0] == ImageStorage.DECLARED
                && wish == ImageStorage.CHANNELS_LAST
                && type.dimension(1) > 1
                && type.dimension(1) <= PICTURE;
        return together ? new LayoutAssignment(actual, wish) : ElementwiseOp.super.arrange(inputs, actual, wish);
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        if (in.storage() != out.storage()) {
            return picture(in, out);
        }
        return Step.elementwise(out.size(), memory -> {
            float[] from = in.floats(memory);
            byte[] to = out.bytes(memory);
            return (at, count) -> Quantizing.quantize(
                    from,
                    in.at(memory) + at,
                    to,
                    out.at(memory) + at,
                    count,
                    output.scale(),
                    output.zeroPoint(),
                    output.element().isSigned(),
                    rule);
        });
    }

    private Step picture(PlacedValue in, PlacedValue out) {
        int channels = in.type().dimension(1);
        int size = in.imageSize();
        int pixels = size / channels;
        int unit = pixelsAtOnce(channels);
        return Step.images(in.type().dimension(0), (pixels + unit - 1) / unit, memory -> {
            float[] from = in.floats(memory);
            byte[] to = out.bytes(memory);
            return (image, begin, end) -> {
                byte[] apart = apart(channels * unit);
                for (int pixel = begin * unit; pixel < Math.min(end * unit, pixels); pixel += unit) {
                    int count = Math.min(unit, pixels - pixel);
                    int at = image * size + pixel;
                    for (int c = 0; c < channels; c++) {
                        Quantizing.quantize(
                                from,
                                in.at(memory) + at + c * pixels,
                                apart,
                                c * count,
                                count,
                                output.scale(),
                                output.zeroPoint(),
                                output.element().isSigned(),
                                rule);
                    }
                    LayoutConversion.convert(
                            channels,
                            count,
                            ImageLayout.NCHW,
                            apart,
                            0,
                            ImageLayout.NHWC,
                            to,
                            out.at(memory) + image * size + pixel * channels,
                            0,
                            count);
                }
            };
        });
    }

    @Override
    public String label() {
        return "quantize";
    }
}
