package org.torchnnapi.kernels.internal.portable;

import org.torchnnapi.kernels.ConvShape;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.internal.FloatConvKernel;

/** The means of the channels of a blocked image that another kernel computes; one unit. */
public final class StagedWideningMeans implements FloatConvKernel {
    private final FloatConvKernel widening;
    private final int channels;
    private final int pixels;

    /** @param shape that of the image's last convolution */
    public StagedWideningMeans(ConvShape shape, FloatConvKernel widening) {
        this.widening = widening;
        channels = shape.outC();
        pixels = shape.outH() * shape.outW();
    }

    @Override
    public int units() {
        return 1;
    }

    @Override
    public void run(
            float[] in,
            int inOffset,
            float[] residual,
            int residualOffset,
            float[] out,
            int outOffset,
            int begin,
            int end) {
        if (begin < end) {
            float[] image = new float[ImageLayout.BLOCKED.size(channels, pixels, 1)];
            widening.run(in, inOffset, null, 0, image, 0, 0, widening.units());
            means(image, 0, channels, pixels, out, outOffset);
        }
    }

    /** Writes the mean of each channel of a blocked image, summed in double. */
    static void means(float[] image, int imageOffset, int channels, int pixels, float[] means, int meansOffset) {
        int block = ImageLayout.BLOCKED.block(channels);
        for (int c = 0; c < channels; c++) {
            double sum = 0;
            int at = imageOffset + c / block * pixels * block + c % block;
            for (int p = 0; p < pixels; p++) {
                sum += image[at + p * block];
            }
            means[meansOffset + c] = (float) (sum / pixels);
        }
    }
}
