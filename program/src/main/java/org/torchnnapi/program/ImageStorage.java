package org.torchnnapi.program;

import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Kernels;

/**
 * How the elements of a value lie in its buffer. All but {@link #DECLARED} are for values of rank 4, batches of images,
 * and say which declared axis has the channels; images of a batch lie one after the other.
 */
public enum ImageStorage {
    /** As the shape says, the last dimension's neighbours adjacent. For every rank. */
    DECLARED(-1, null),
    /** Declared {@code [N, C, H, W]}, lying as {@code [N, H, W, C]}. */
    CHANNELS_LAST(1, ImageLayout.NHWC),
    /** Declared {@code [N, H, W, C]}, lying as {@code [N, C, H, W]}. */
    CHANNELS_FIRST(3, ImageLayout.NCHW),
    /** Declared {@code [N, C, H, W]}, lying in {@link ImageLayout#BLOCKED}. */
    BLOCKED_NCHW(1, ImageLayout.BLOCKED),
    /** Declared {@code [N, H, W, C]}, lying in {@link ImageLayout#BLOCKED}. */
    BLOCKED_NHWC(3, ImageLayout.BLOCKED);

    private final int channelAxis;
    private final ImageLayout layout;

    ImageStorage(int channelAxis, ImageLayout layout) {
        this.channelAxis = channelAxis;
        this.layout = layout;
    }

    /** The storage of images declared in that order (NCHW or NHWC) that lie in that layout. */
    public static ImageStorage of(ImageLayout order, ImageLayout layout) {
        if (order == layout) {
            return DECLARED;
        }
        return order == ImageLayout.NCHW
                ? (layout == ImageLayout.NHWC ? CHANNELS_LAST : BLOCKED_NCHW)
                : (layout == ImageLayout.NCHW ? CHANNELS_FIRST : BLOCKED_NHWC);
    }

    /** Whether images declared in that order can lie so. */
    public boolean suits(ImageLayout order) {
        return channelAxis < 0 || channelAxis == channelAxis(order);
    }

    /** The layout of images declared in that order; without height and width all are one, and NHWC stands for them. */
    public ImageLayout layout(ImageLayout order, ValueType type) {
        if (channelAxis >= 0) {
            return layout;
        }
        return type.count() == type.dimension(0) * type.dimension(channelAxis(order)) ? ImageLayout.NHWC : order;
    }

    /** The layout of images declared in that order. */
    public ImageLayout layout(ImageLayout order) {
        return layout == null ? order : layout;
    }

    public boolean isBlocked() {
        return layout == ImageLayout.BLOCKED;
    }

    /** The axis that has the channels in that declared order. */
    public static int channelAxis(ImageLayout order) {
        return order == ImageLayout.NCHW ? 1 : 3;
    }

    /** Elements that a value takes, those included that fill up blocks of channels. */
    public int size(ValueType type) {
        return isBlocked() ? type.dimension(0) * layout.size(channels(type), pixels(type), 1) : type.count();
    }

    /** Whether there are elements between the channels of one pixel and those of the next that belong to neither. */
    public boolean isPadded(ValueType type) {
        return isBlocked() && channels(type) % Kernels.channelBlock() != 0;
    }

    /** Whether a value that lies so lies in that other way too, element for element. */
    public boolean sameAs(ImageStorage other, ValueType type) {
        if (this == other) {
            return true;
        }
        int axis = Math.max(channelAxis, other.channelAxis);
        if (channelAxis >= 0 && other.channelAxis >= 0 && channelAxis != other.channelAxis) {
            return false;
        }
        int channels = type.dimension(axis);
        int pixels = type.count() / type.dimension(0) / channels;
        int block = blockAt(axis, channels);
        int otherBlock = other.blockAt(axis, channels);
        boolean padded = isPadded(type) || other.isPadded(type);
        return block == otherBlock || pixels == 1 && !padded;
    }

    private int blockAt(int axis, int channels) {
        ImageLayout actual = layout != null ? layout : axis == 1 ? ImageLayout.NCHW : ImageLayout.NHWC;
        return actual.block(channels);
    }

    private int channels(ValueType type) {
        return type.dimension(channelAxis);
    }

    private int pixels(ValueType type) {
        return type.count() / type.dimension(0) / channels(type);
    }

    /**
     * The dimensions in the order in which they lie; a blocked image's are {@code [N, blocks, H, W, channels of a
     * block]}.
     */
    public int[] lying(int[] shape) {
        return switch (this) {
            case DECLARED -> shape.clone();
            case CHANNELS_LAST -> new int[] {shape[0], shape[2], shape[3], shape[1]};
            case CHANNELS_FIRST -> new int[] {shape[0], shape[3], shape[1], shape[2]};
            case BLOCKED_NCHW -> blocks(shape[0], shape[1], shape[2], shape[3]);
            case BLOCKED_NHWC -> blocks(shape[0], shape[3], shape[1], shape[2]);
        };
    }

    /** Which of the {@link #lying} dimensions a declared axis is; of channels in blocks, their number. */
    public int lyingAxis(int axis) {
        int[] axes = switch (this) {
            case DECLARED -> null;
            case CHANNELS_LAST -> new int[] {0, 3, 1, 2};
            case CHANNELS_FIRST -> new int[] {0, 2, 3, 1};
            case BLOCKED_NCHW -> new int[] {0, 1, 2, 3};
            case BLOCKED_NHWC -> new int[] {0, 2, 3, 1};
        };
        return axes == null ? axis : axes[axis];
    }

    private static int[] blocks(int batch, int channels, int height, int width) {
        int block = Kernels.channelBlock();
        return new int[] {batch, (channels + block - 1) / block, height, width, block};
    }

    /** The order that the shape is declared in; null where any can be meant. */
    public ImageLayout order() {
        return channelAxis < 0 ? null : channelAxis == 1 ? ImageLayout.NCHW : ImageLayout.NHWC;
    }
}
