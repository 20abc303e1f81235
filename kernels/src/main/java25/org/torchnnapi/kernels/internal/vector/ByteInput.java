package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.internal.QuantizedConvSpec;

/** How the bytes of an input image become floats: each less the zero point, which a float holds exactly. */
final class ByteInput {
    private final int inC;
    private final int inBlock;
    private final int plane;
    private final byte flip;
    private final int zeroPoint;

    ByteInput(QuantizedConvSpec spec) {
        ConvShape shape = spec.shape();
        inC = shape.inC();
        inBlock = spec.in().block(inC);
        plane = shape.inH() * shape.inW();
        flip = (byte) (spec.signedInput() ? 0 : 0x80);
        zeroPoint = spec.inputZeroPoint() + (spec.signedInput() ? 0 : flip);
    }

    /**
     * Writes {@code count} pixels, {@code step} apart, of the channels from {@code channel} on.
     *
     * @param lanes V, or 1 for that channel alone; lanes past the last channel get any finite value
     */
    void widen(
            byte[] in, int inOffset, int channel, int pixel, int step, int lanes, float[] target, int at, int count) {
        int source = inOffset + channel / inBlock * inBlock * plane + pixel * inBlock + channel % inBlock;
        int sourceStep = step * inBlock;
        if (lanes == 1) {
            for (int i = 0; i < count; i++) {
                target[at + i] = (byte) (in[source + i * sourceStep] ^ flip) - zeroPoint;
            }
            return;
        }
        int done = 0;
        if (ByteLanes.SUPPORTED && inBlock > 1 && WarmUp.isWidenReady()) {
            // A block that is not full takes its last lanes from the next pixel; the last pixels may have no next one.
            int room = in.length - V - source;
            done = room < 0 ? 0 : Math.min(count, room / sourceStep + 1);
            ByteLanes.widen(in, source, sourceStep, flip, zeroPoint, target, at, done);
        }
        int present = Math.min(V, inC - channel);
        int laneStep = inBlock == 1 ? plane : 1;
        for (int i = done; i < count; i++) {
            for (int lane = 0; lane < V; lane++) {
                target[at + i * V + lane] =
                        lane < present ? (byte) (in[source + i * sourceStep + lane * laneStep] ^ flip) - zeroPoint : 0f;
            }
        }
    }
}
