package org.torchnnapi.tensor;

/**
 * A window sliding along one spatial axis of a convolution, a pooling or an unfolding, in elements of that axis: window
 * {@code i} has its taps at input positions {@code i * stride - before + t * dilation}. A transposed convolution is the
 * same seen from its end: what slides is its window over its output, one place for each of its input's elements.
 *
 * <p>This is where windows are computed, in 64 bits, and bounded: whoever reads these numbers may add a position of a
 * window, a stride and a dilation in 32 bits. A stride or dilation past the padded input, which at most one window or
 * tap takes, counts as that far.
 *
 * @param input size of what the window slides over, >= 0
 * @param taps of the window, >= 1
 * @param stride from one window to the next, 1 to {@link #MAX_EXTENT}
 * @param dilation from one tap to the next, 1 to {@link #MAX_EXTENT}
 * @param before padding in front of the input, >= 0
 * @param after padding behind it, >= 0
 * @param output places of the window, >= 0
 */
public record WindowAxis(int input, int taps, int stride, int dilation, int before, int after, int output) {
    /** The largest input with its padding. */
    public static final int MAX_EXTENT = 1 << 30;

    /**
     * @throws IllegalArgumentException if a number is outside its range, or the padded input larger than
     *     {@link #MAX_EXTENT}
     */
    public WindowAxis {
        atLeast("input size", input, 0);
        atLeast("filter size", taps, 1);
        atLeast("stride", stride, 1);
        atLeast("dilation", dilation, 1);
        atLeast("padding", Math.min(before, after), 0);
        atLeast("output size", output, 0);
        extent("padded input", (long) input + before + after);
        stride = Math.min(stride, MAX_EXTENT);
        dilation = Math.min(dilation, MAX_EXTENT);
    }

    /**
     * As many windows as fit the padded input.
     *
     * @throws IllegalArgumentException if a number is outside its range, or none fits; an input of size 0 may have none
     */
    public static WindowAxis of(int input, int taps, int stride, int dilation, int before, int after) {
        new WindowAxis(input, taps, stride, dilation, before, after, 0);
        return new WindowAxis(
                input, taps, stride, dilation, before, after, places(input, taps, stride, dilation, before, after));
    }

    /**
     * As many windows as fit a padded input; what {@link #of} computes, of numbers that are in their ranges.
     *
     * @throws IllegalArgumentException if none fits and the input is not of size 0
     */
    public static int places(int input, int taps, int stride, int dilation, int before, int after) {
        long padded = extent("padded input", (long) input + before + after);
        long room = padded - span(taps, dilation);
        if (room < 0 && input > 0) {
            throw new IllegalArgumentException(
                    "filter span: " + span(taps, dilation) + " (expected: <= padded input, " + padded + ")");
        }
        return room < 0 ? 0 : (int) (room / stride + 1);
    }

    /** Padding for {@code ceil(input / stride)} windows, the odd element behind. Throws as {@link #of}. */
    public static WindowAxis same(int input, int taps, int stride, int dilation) {
        new WindowAxis(input, taps, stride, dilation, 0, 0, 0);
        long output = ((long) input + stride - 1) / stride;
        long padding =
                Math.max(0, extent("padded input", Math.max(0, output - 1) * stride + span(taps, dilation)) - input);
        return new WindowAxis(
                input, taps, stride, dilation, (int) (padding / 2), (int) (padding - padding / 2), (int) output);
    }

    /**
     * A transposed convolution's: its {@link #input} is the size of what that writes, its {@link #output} the size of
     * what that reads.
     *
     * @param places elements that are read
     * @param before cropped of the result's beginning
     * @param extra elements that the result has behind the last tap
     * @throws IllegalArgumentException if a number is outside its range, or nothing is left of the result
     */
    public static WindowAxis transposed(
            int places, int taps, int stride, int dilation, int before, int after, int extra) {
        new WindowAxis(0, taps, stride, dilation, before, after, places);
        atLeast("output padding", extra, 0);
        return new WindowAxis(
                size(places, taps, stride, dilation, before, after, extra),
                taps,
                stride,
                dilation,
                before,
                after,
                places);
    }

    /**
     * Elements along the axis that a transposed convolution writes; what {@link #transposed} computes, of numbers that
     * are in their ranges.
     *
     * @throws IllegalArgumentException if there are none, or too many
     */
    public static int size(int places, int taps, int stride, int dilation, int before, int after, int extra) {
        long whole = extent("uncropped output", (places - 1L) * stride + span(taps, dilation) + extra);
        long size = whole - before - after;
        if (size < 1 && whole > 0) {
            throw new IllegalArgumentException("padding: " + before + " and " + after
                    + ", which crop all of an uncropped output of " + whole + " (expected: < " + whole + " together)");
        }
        if (size < 1) {
            throw new IllegalArgumentException("output size: " + size + " (expected: >= 1)");
        }
        return (int) size;
    }

    /**
     * Where a part begins of an axis that is divided as evenly as whole numbers can, as PyTorch's adaptive pooling has
     * it: {@code floor(index * input / parts)}.
     */
    public static int partStart(int input, int parts, int index) {
        return (int) ((long) index * input / parts);
    }

    /** Where that part ends: {@code ceil((index + 1) * input / parts)}. Neighbors may share an element. */
    public static int partEnd(int input, int parts, int index) {
        return (int) (((index + 1L) * input + parts - 1) / parts);
    }

    /** Elements from a window's first tap to its last: {@code (taps - 1) * dilation + 1}. */
    public long span() {
        return span(taps, dilation);
    }

    /** The input's size with its padding. */
    public int padded() {
        return input + before + after;
    }

    /** The input position under tap 0 of window {@code index}; may be negative or past the input. */
    public int start(int index) {
        return index * stride - before;
    }

    /** The input position under a tap of window {@code index}, or -1 in the padding. */
    public int inputUnder(int index, int tap) {
        int position = start(index) + tap * dilation;
        return position >= 0 && position < input ? position : -1;
    }

    /** The window that has a tap over input position {@code position}, or -1 if none has. */
    public int windowOver(int position, int tap) {
        int start = position + before - tap * dilation;
        return start >= 0 && start % stride == 0 && start / stride < output ? start / stride : -1;
    }

    private static long span(long taps, long dilation) {
        return (taps - 1) * dilation + 1;
    }

    private static long extent(String name, long value) {
        if (value > MAX_EXTENT) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: <= " + MAX_EXTENT + ")");
        }
        return value;
    }

    private static void atLeast(String name, int value, int least) {
        if (value < least) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: >= " + least + ")");
        }
    }
}
