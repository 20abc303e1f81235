package org.torchnnapi.program.internal;

import java.util.List;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.LayoutConversion;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.LayoutAssignment;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.Operands;
import org.torchnnapi.program.PlacedValue;
import org.torchnnapi.program.Step;
import org.torchnnapi.program.ValueType;

/** The same value in another storage; put in where one operation's result lies otherwise than another wants it. */
record Relayout(ImageStorage from, ImageStorage to) implements Op {
    /** Pixels of a share: whole tiles of what transposes them. */
    private static final int SHARE = 256;

    @Override
    public ValueType result(List<ValueType> inputs) {
        return inputs.get(0);
    }

    @Override
    public LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        return new LayoutAssignment(new ImageStorage[] {from}, to);
    }

    @Override
    public int view(Operands operands) {
        return from.sameAs(to, operands.out().type()) ? 0 : -1;
    }

    @Override
    public Step compile(Operands operands) {
        PlacedValue in = operands.in(0);
        PlacedValue out = operands.out();
        ImageLayout order = from.order() == null ? to.order() : from.order();
        int channels = in.type().dimension(ImageStorage.channelAxis(order));
        int batch = in.type().dimension(0);
        int pixels = in.type().count() / batch / channels;
        int units = (pixels + SHARE - 1) / SHARE;
        int inSize = in.imageSize();
        int outSize = out.imageSize();
        ImageLayout before = from.layout(order);
        ImageLayout after = to.layout(order);
        if (in.isFloat()) {
            return Step.images(batch, units, memory -> {
                float[] source = in.floats(memory);
                float[] target = out.floats(memory);
                return (image, begin, end) -> LayoutConversion.convert(
                        channels,
                        pixels,
                        before,
                        source,
                        in.at(memory) + image * inSize,
                        after,
                        target,
                        out.at(memory) + image * outSize,
                        Math.min(pixels, begin * SHARE),
                        Math.min(pixels, end * SHARE));
            });
        }
        return Step.images(batch, units, memory -> {
            byte[] source = in.bytes(memory);
            byte[] target = out.bytes(memory);
            return (image, begin, end) -> LayoutConversion.convert(
                    channels,
                    pixels,
                    before,
                    source,
                    in.at(memory) + image * inSize,
                    after,
                    target,
                    out.at(memory) + image * outSize,
                    Math.min(pixels, begin * SHARE),
                    Math.min(pixels, end * SHARE));
        });
    }

    @Override
    public String label() {
        return "relayout " + from + " to " + to;
    }
}
