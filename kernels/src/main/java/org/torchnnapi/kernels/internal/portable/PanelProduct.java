package org.torchnnapi.kernels.internal.portable;

/** The inner product of all panel kernels: rows of sums += weights times panel rows, all rows from index 0. */
final class PanelProduct {
    private PanelProduct() {}

    /**
     * {@code sums[r][p] += sum over k of weights[offset + r * stride + k] * panel[k][p]} for r in [0, rows), p in [0,
     * pixels).
     *
     * @param depth a multiple of four
     */
    static void accumulate(
            float[][] sums, int rows, float[][] panel, int depth, float[] weights, int offset, int stride, int pixels) {
        for (int r = 0; r < rows; r++) {
            int w = offset + r * stride;
            for (int k = 0; k < depth; k += 4) {
                addFour(
                        sums[r],
                        panel[k],
                        panel[k + 1],
                        panel[k + 2],
                        panel[k + 3],
                        weights[w + k],
                        weights[w + k + 1],
                        weights[w + k + 2],
                        weights[w + k + 3],
                        pixels);
            }
        }
    }

    private static void addFour(
            float[] sum, float[] a, float[] b, float[] c, float[] d, float wa, float wb, float wc, float wd, int n) {
        for (int i = 0; i < n; i++) {
            sum[i] += wa * a[i] + wb * b[i] + wc * c[i] + wd * d[i];
        }
    }
}
