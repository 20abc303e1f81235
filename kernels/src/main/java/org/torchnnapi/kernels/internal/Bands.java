package org.torchnnapi.kernels.internal;

import org.torchnnapi.kernels.Machine;

/** How a length, such as the rows of an image, is cut so that the threads get equal shares. */
public final class Bands {
    /** The first half of the bands may be longer than the second by this part of it. */
    private static final int UNEVEN = 16;

    private Bands() {}

    /** Shares of a piece of work that keep this machine's threads busy to the end. */
    public static int wanted() {
        return Machine.current().shares();
    }

    /** The same of a piece of which so many shares at most are large enough to pay. */
    public static int wanted(long paying) {
        return Machine.current().shares(paying);
    }

    /**
     * The length of a band; the last one may be shorter. One band where any cut into two would be uneven or too short.
     *
     * @param least a band is not shorter, unless the whole is
     * @param most nor longer, even if the bands are then uneven
     */
    public static int length(int length, int least, int most) {
        int bands = Math.max(1, (length + most - 1) / most);
        for (int wanted = Math.max(bands, wanted()); wanted > bands; wanted /= 2) {
            int band = (length + wanted - 1) / wanted;
            if (band >= least && isEven(length, band)) {
                return band;
            }
        }
        return Math.max(1, (length + bands - 1) / bands);
    }

    private static boolean isEven(int length, int band) {
        int bands = (length + band - 1) / band;
        int firstHalf = (bands + 1) / 2 * band;
        return (2L * firstHalf - length) * UNEVEN <= length;
    }
}
