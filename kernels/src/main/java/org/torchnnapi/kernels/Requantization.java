package org.torchnnapi.kernels;

/**
 * How the 32-bit sums of a quantized kernel become 8-bit outputs, to the bit as QNNPACK on 64-bit Arm and x86:
 * {@code round_half_even((float) sum * scale)}, plus the zero point, limited to [min, max]. Behind that may be a
 * {@linkplain #table table}: any function of the byte, such as an activation.
 */
public final class Requantization {
    private final float[] scales;
    private final int zeroPoint;
    private final int min;
    private final int max;
    /** Null for none. */
    private final byte[] table;

    private Requantization(float[] scales, int zeroPoint, int min, int max, byte[] table) {
        if (min > max || min < -128 || max > 255 || max - min > 255) {
            throw new IllegalArgumentException(
                    "limits: [" + min + ", " + max + "] (expected: within [0, 255] or [-128, 127])");
        }
        this.scales = scales;
        this.zeroPoint = zeroPoint;
        this.min = min;
        this.max = max;
        this.table = table;
    }

    /**
     * The rule.
     *
     * @param scales {@code inputScale * weightScale / outputScale} as float, one for all output channels or one each
     */
    public static Requantization halfEven(float[] scales, int zeroPoint, int min, int max) {
        for (float scale : scales) {
            if (!(scale > 0) || Float.isInfinite(scale)) {
                throw new IllegalArgumentException("scale: " + scale + " (expected: finite and > 0)");
            }
        }
        return new Requantization(scales.clone(), zeroPoint, min, max, null);
    }

    /** The same rule with outputs that much higher. */
    public Requantization raised(int by) {
        if (table == null) {
            return new Requantization(scales, zeroPoint + by, min + by, max + by, null);
        }
        byte[] raised = table.clone();
        for (int i = 0; i < raised.length; i++) {
            raised[i] += (byte) by;
        }
        return alone().mapped(raised);
    }

    /**
     * The same rule with a function of its outputs behind it.
     *
     * @param function 256 bytes, by the unsigned value of the byte before; kept
     */
    public Requantization mapped(byte[] function) {
        Check.length("table", function.length, 256);
        byte[] all = function;
        if (table != null) {
            all = new byte[function.length];
            for (int i = 0; i < all.length; i++) {
                all[i] = function[table[i] & 0xff];
            }
        }
        return new Requantization(scales, zeroPoint, min, max, all);
    }

    /** What bytes become at last, by their unsigned values; null where they stay. Not to be changed. */
    public byte[] table() {
        return table;
    }

    /** The rule without its table. */
    public Requantization alone() {
        return table == null ? this : new Requantization(scales, zeroPoint, min, max, null);
    }

    /** How many output channels have their own scale; 1 when all share one. */
    public int channels() {
        return scales.length;
    }

    /** What a sum is multiplied by. */
    public float scale(int channel) {
        return scales[scales.length == 1 ? 0 : channel];
    }

    public int zeroPoint() {
        return zeroPoint;
    }

    public int min() {
        return min;
    }

    public int max() {
        return max;
    }

    /** This one, which has no table, with its outputs limited once more. */
    public Requantization limited(int low, int high) {
        if (table != null) {
            throw new IllegalStateException("a table has its own limits (expected: a rule without one)");
        }
        return new Requantization(
                scales, zeroPoint, Math.min(Math.max(min, low), high), Math.min(Math.max(max, low), high), null);
    }

    /** The output for one sum of one channel, before the table. */
    public int apply(int sum, int channel) {
        long scaled = (long) Math.rint((float) sum * scale(channel));
        return (int) Math.min(Math.max(scaled + zeroPoint, min), max);
    }
}
