package org.torchnnapi.nnapi.op;

/** The order of a rank 4 image tensor's dimensions: NHWC, or NCHW where an operation's BOOL operand says so. */
public enum ImageOrder {
    NHWC(1, 2, 3),
    NCHW(2, 3, 1);

    private final int heightAxis;
    private final int widthAxis;
    private final int channelAxis;

    ImageOrder(int heightAxis, int widthAxis, int channelAxis) {
        this.heightAxis = heightAxis;
        this.widthAxis = widthAxis;
        this.channelAxis = channelAxis;
    }

    /** The layout a BOOL input names; NHWC where the signature lacks it. */
    public static ImageOrder of(OperationContext operation, int input) {
        return operation.bool(input, false) ? NCHW : NHWC;
    }

    public int heightAxis() {
        return heightAxis;
    }

    public int widthAxis() {
        return widthAxis;
    }

    public int height(int[] dims) {
        return dims[heightAxis];
    }

    public int width(int[] dims) {
        return dims[widthAxis];
    }

    public int channels(int[] dims) {
        return dims[channelAxis];
    }

    /** The dimensions in this order. */
    public int[] dims(int batches, int height, int width, int channels) {
        return this == NHWC
                ? new int[] {batches, height, width, channels}
                : new int[] {batches, channels, height, width};
    }

    /** The element index of a position in a tensor of shape {@code dims}. */
    public int index(int[] dims, int batch, int y, int x, int channel) {
        return this == NHWC
                ? ((batch * dims[1] + y) * dims[2] + x) * dims[3] + channel
                : ((batch * dims[1] + channel) * dims[2] + y) * dims[3] + x;
    }
}
