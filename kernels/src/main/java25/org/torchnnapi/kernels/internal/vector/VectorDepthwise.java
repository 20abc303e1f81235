package org.torchnnapi.kernels.internal.vector;

import static org.torchnnapi.kernels.internal.vector.Lanes.V;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.torchnnapi.kernels.Activation;
import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Machine;
import org.torchnnapi.kernels.internal.FloatConvSpec;

/**
 * Depthwise convolution with one filter a channel and a horizontal stride of 1 or 2. A unit is a band of output rows of
 * one block of V channels: its input rows are copied with their padding to {@code [row][column][V]}, then convolved row
 * by row.
 */
final class VectorDepthwise extends VectorConvBase {
    private final FloatConvSpec spec;
    private final ConvShape shape;
    private final DepthwiseRow row;
    /** For sums to which something is added before the limits. */
    private final DepthwiseRow unlimited;

    private final int[] taps;
    private final float[] weights;
    private final float[] bias;
    private final int bandRows;
    private final int bands;
    private final int stagedCols;

    VectorDepthwise(FloatConvSpec spec) {
        this.spec = spec;
        shape = spec.shape();
        stagedCols = DepthwiseRow.stagedCols(shape);
        row = new DepthwiseRow(shape, spec.activation());
        unlimited = new DepthwiseRow(shape, Activation.NONE);
        int rows = (shape.kernelH() - 1) * shape.dilationH() + 1;
        taps = DepthwiseRow.taps(
                shape, IntStream.range(0, rows).map(r -> r * stagedCols * V).toArray());
        weights = DepthwiseRow.packWeights(spec);
        bias = Arrays.copyOf(spec.bias(), (shape.outC() + V - 1) / V * V);
        // Scratch stays in the second cache beside the output.
        int bandFloats = Machine.current().secondCache() / Float.BYTES / 32 * 3;
        int fitting = (bandFloats / (stagedCols * V) - (shape.kernelH() - 1) * shape.dilationH()) / shape.strideH();
        bandRows = Math.max(1, Math.min(shape.outH(), Math.max(fitting, 4)));
        bands = (shape.outH() + bandRows - 1) / bandRows;
    }

    static boolean covers(ConvShape shape) {
        return shape.isDepthwise() && shape.inC() == shape.outC() && !shape.transposed() && shape.strideW() <= 2;
    }

    @Override
    public int units() {
        return Math.multiplyExact(bands, (shape.inC() + V - 1) / V);
    }

    @Override
    void run(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            ByteImages images,
            int begin,
            int end) {
        VectorScratch scratch = VectorScratch.get();
        int stagedRows = (bandRows - 1) * shape.strideH() + (shape.kernelH() - 1) * shape.dilationH() + 1;
        float[] staged = scratch.input(Math.multiplyExact(stagedRows * stagedCols, V));
        int outW = shape.outW();
        boolean direct = spec.out() == ImageLayout.BLOCKED && residual == null && outW >= DepthwiseTile1.PIXELS;
        float[] rowOut = direct ? out : scratch.output(Math.max(outW, DepthwiseTile1.PIXELS) * V);
        for (int unit = begin; unit < end; unit++) {
            int block = unit / bands;
            int first = unit % bands * bandRows;
            int rows = Math.min(bandRows, shape.outH() - first);
            stage(
                    in,
                    inOffset,
                    images,
                    block,
                    first * shape.strideH() - shape.padTop(),
                    (rows - 1) * shape.strideH() + (shape.kernelH() - 1) * shape.dilationH() + 1,
                    staged);
            for (int r = 0; r < rows; r++) {
                int place = direct ? outOffset + (block * shape.outH() + first + r) * outW * V : 0;
                (residual == null ? row : unlimited)
                        .run(
                                staged,
                                r * shape.strideH() * stagedCols * V,
                                taps,
                                weights,
                                block * shape.kernelH() * shape.kernelW() * V,
                                bias,
                                block * V,
                                rowOut,
                                place);
                if (direct) {
                    if (!Lanes.isPositive(spec.activation())) {
                        Lanes.activate(out, place, outW * V, spec.activation());
                    }
                } else if (images != null) {
                    images.narrow(rowOut, 0, V, block * V, (first + r) * outW, 1, outW, scratch);
                    images.finish(block * V, Math.min(V, shape.outC() - block * V), (first + r) * outW, 1, outW);
                } else {
                    write(rowOut, block, first + r, residual, residualOffset, out, outOffset);
                }
            }
        }
    }

    /** Copies {@code rows} padded input rows of a block from row {@code firstY}, which may lie outside the image. */
    private void stage(float[] in, int inOffset, ByteImages images, int block, int firstY, int rows, float[] staged) {
        int inW = shape.inW();
        int left = shape.padLeft() * V;
        int inBlock = spec.in().block(shape.inC());
        int channels = Math.min(V, shape.inC() - block * V);
        for (int r = 0; r < rows; r++) {
            int target = r * stagedCols * V;
            int y = firstY + r;
            if (y < 0 || y >= shape.inH()) {
                Arrays.fill(staged, target, target + stagedCols * V, 0f);
                continue;
            }
            Arrays.fill(staged, target, target + left, 0f);
            if (images != null) {
                images.widen(block * V, y * inW, 1, V, staged, target + left, inW);
            } else if (spec.in() == ImageLayout.BLOCKED) {
                System.arraycopy(in, inOffset + (block * shape.inH() + y) * inW * V, staged, target + left, inW * V);
            } else {
                int planeStep = inBlock == 1 ? shape.inH() * inW : 1;
                int source = inOffset + block * V * planeStep + y * inW * inBlock;
                for (int c = 0; c < channels; c++) {
                    for (int x = 0; x < inW; x++) {
                        staged[target + left + x * V + c] = in[source + c * planeStep + x * inBlock];
                    }
                }
            }
            Arrays.fill(staged, target + left + inW * V, target + stagedCols * V, 0f);
        }
    }

    private void write(
            float[] rowOut, int block, int y, float[] residual, int residualOffset, float[] out, int outOffset) {
        int outW = shape.outW();
        int outBlock = spec.out().block(shape.outC());
        int channels = Math.min(V, shape.outC() - block * V);
        for (int c = 0; c < channels; c++) {
            int channel = block * V + c;
            int place = (channel / outBlock * shape.outH() + y) * outW * outBlock + channel % outBlock;
            for (int x = 0; x < outW; x++) {
                int at = place + x * outBlock;
                float value = rowOut[x * V + c];
                out[outOffset + at] =
                        spec.activation().apply(residual == null ? value : value + residual[residualOffset + at]);
            }
        }
    }
}
