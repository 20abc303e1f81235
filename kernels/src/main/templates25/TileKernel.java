//@ classes TileKernel: 
package org.torchnnapi.kernels.internal.vector;

/** The choice among the generated tiles: their height by the number of registers, then how they read and end. */
final class TileKernel {
    static final int POSITIVE = 1;
    static final int ADDING = 2;
    static final int PLANAR = 4;
    /** Pixels of a tile. */
    static final int HEIGHT = Lanes.MANY_REGISTERS ? 7 : 4;

    private TileKernel() {
    }

    /**
     * @param kind a sum of {@link #POSITIVE}, {@link #ADDING} and {@link #PLANAR}; the rest as the tile's own
     *     parameters
     */
    static void run(
            int kind, float[] in, int base, int[] taps, float[] w, int wAt, float[] bias, int biasAt, float[] residual,
            int residualAt, float[] out, int outAt, int pixelStep, int vectorStep, int min, int max) {
        if (Lanes.MANY_REGISTERS) {
            tall(kind, in, base, taps, w, wAt, bias, biasAt, residual, residualAt, out, outAt, pixelStep, vectorStep,
                    min, max);
        } else {
            low(kind, in, base, taps, w, wAt, bias, biasAt, residual, residualAt, out, outAt, pixelStep, vectorStep,
                    min, max);
        }
    }
    //@ each height in tall, low

    private static void $height(
            int kind, float[] in, int base, int[] taps, float[] w, int wAt, float[] bias, int biasAt, float[] residual,
            int residualAt, float[] out, int outAt, int pixelStep, int vectorStep, int min, int max) {
        switch (kind) {
            //@ each tile in Tile7, Tile4
            //@ when $height-$tile in tall-Tile7, low-Tile4
            //@ each call in 0 -> $tile.plainBlocked, POSITIVE -> $tile.positiveBlocked,
            //@     ADDING -> $tile.addingBlocked, ADDING + POSITIVE -> $tile.addingPositiveBlocked,
            //@     PLANAR -> $tile.plainPlanar, PLANAR + POSITIVE -> $tile.positivePlanar,
            //@     PLANAR + ADDING -> $tile.addingPlanar, PLANAR + ADDING + POSITIVE -> $tile.addingPositivePlanar
            case $call(in, base, taps, w, wAt, bias, biasAt, residual, residualAt, out, outAt, pixelStep, vectorStep,
                    min, max);
            //@ end
            //@ end
            //@ end
            default -> throw new IllegalArgumentException("kind: " + kind + " (expected: 0 to 7)");
        }
    }
    //@ end
}
