package org.torchnnapi.operators.support;

import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.KernelPool;
import org.torchnnapi.kernels.LayoutConversion;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;

/** Copies of tensors to other memory formats: batches of images by kernels, all else element by element. */
public final class ImageCopies {
    private static final int[] TO_CHANNELS_SECOND = {0, 3, 1, 2};
    /** Pixels that pay for a thread. */
    private static final int SHARE = 8 * 224;

    private ImageCopies() {}

    /** Makes the memory of a copy, with any elements. */
    public interface Memory {
        Storage allocate(DType dtype, long length);
    }

    /** As {@link Tensor#contiguous(MemoryFormat)}. */
    public static Tensor contiguous(Tensor t, MemoryFormat format) {
        return contiguous(t, format, Storage::allocate);
    }

    /**
     * As {@link Tensor#contiguous(MemoryFormat)}, with the memory of batches of images, if they are copied, from
     * elsewhere.
     */
    public static Tensor contiguous(Tensor t, MemoryFormat format, Memory memory) {
        if (t.rank() != 4 || t.numel() == 0 || !isCopied(t) || t.isContiguous(format)) {
            return t.contiguous(format);
        }
        int[] sizes = t.sizes();
        if (format == MemoryFormat.CONTIGUOUS && t.permute(TO_CHANNELS_SECOND).isContiguous()) {
            return copy(t, sizes[3], sizes[1] * sizes[2], ImageLayout.NCHW, ImageLayout.NHWC, format, memory);
        }
        if (format == MemoryFormat.CONTIGUOUS && t.isContiguous(MemoryFormat.CHANNELS_LAST)) {
            return copy(t, sizes[1], sizes[2] * sizes[3], ImageLayout.NHWC, ImageLayout.NCHW, format, memory);
        }
        if (format == MemoryFormat.CHANNELS_LAST && t.isContiguous()) {
            return copy(t, sizes[1], sizes[2] * sizes[3], ImageLayout.NCHW, ImageLayout.NHWC, format, memory);
        }
        return t.contiguous(format);
    }

    private static boolean isCopied(Tensor t) {
        return switch (t.dtype()) {
            case FLOAT32, UINT8, INT8, QUINT8, QINT8 -> true;
            default -> false;
        };
    }

    private static Tensor copy(
            Tensor t, int channels, int pixels, ImageLayout from, ImageLayout to, MemoryFormat format, Memory memory) {
        Storage out = memory.allocate(t.dtype(), t.numel());
        int image = channels * pixels;
        int shares = (pixels + SHARE - 1) / SHARE;
        for (int n = 0; n < t.sizes()[0]; n++) {
            int source = t.offset() + n * image;
            int target = n * image;
            KernelPool.shared().run(shares, (begin, end) -> {
                int first = begin * SHARE;
                int last = Math.min(end * SHARE, pixels);
                if (out.array() instanceof float[] floats) {
                    LayoutConversion.convert(
                            channels, pixels, from, t.storage().floatArray(), source, to, floats, target, first, last);
                } else {
                    LayoutConversion.convert(
                            channels,
                            pixels,
                            from,
                            t.storage().byteArray(),
                            source,
                            to,
                            (byte[]) out.array(),
                            target,
                            first,
                            last);
                }
            });
        }
        return new Tensor(out, 0, t.sizes(), Shape.strides(format, t.sizes()), t.quantization());
    }
}
