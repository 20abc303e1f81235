package org.torchnnapi.kernels;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.kernels.internal.ByteKernels;
import org.torchnnapi.kernels.internal.ElementKernels;
import org.torchnnapi.kernels.internal.ElementProvider;
import org.torchnnapi.kernels.internal.FloatKernels;
import org.torchnnapi.kernels.internal.ImageKernels;
import org.torchnnapi.kernels.internal.Providers;
import org.torchnnapi.kernels.internal.QuantizedKernels;
import org.torchnnapi.kernels.internal.portable.PortableFloatKernels;
import org.torchnnapi.kernels.internal.portable.PortableQuantizedKernels;

/** Which kernels run on this machine; decided once, when the first is asked for. */
public final class Kernels {
    private Kernels() {}

    /**
     * One line a kind of kernel, for people: which provider serves it and why, and what to type when a faster one could
     * not be used.
     */
    public static List<String> describe() {
        List<String> lines = new ArrayList<>(Providers.chosen().lines());
        lines.add(ElementProvider.chosen().line());
        return List.copyOf(lines);
    }

    /** Channels that lie together in the blocked layout on this machine. */
    public static int channelBlock() {
        return floats().channelBlock();
    }

    /** Floats of the vectors that this machine's float kernels compute with; 1 where they are plain Java. */
    public static int vectorLanes() {
        return floats().vectorLanes();
    }

    /** How many of them the processor keeps in registers. */
    public static int vectorRegisters() {
        return floats().vectorRegisters();
    }

    /**
     * Whether convolutions and fully connected layers for which {@link Precision#FLOAT16} is enough are computed with
     * 16-bit floats on this machine, and so faster than others.
     */
    public static boolean computesHalves() {
        return floats().computesHalves();
    }

    /** The layout in which float convolutions are fastest on this machine. */
    public static ImageLayout preferredFloatLayout() {
        return Providers.chosen().blocked() ? ImageLayout.BLOCKED : ImageLayout.NCHW;
    }

    /**
     * Bytes of packed weights that plans in this process have, those that several share counted once, and, until they
     * are collected, those that none has any more; 0 where the kernels are not native and plans share none.
     */
    public static long sharedWeightBytes() {
        return floats().sharedBytes();
    }

    static FloatKernels floats() {
        return Providers.chosen().floats();
    }

    /**
     * The kernels for these convolutions: those of every JVM unless all are {@linkplain ConvShape#isCompact compact}.
     */
    static FloatKernels floats(ConvShape... shapes) {
        return areCompact(shapes) ? floats() : Plain.FLOATS;
    }

    static ElementKernels elements() {
        return ElementProvider.chosen().elements();
    }

    static ImageKernels images() {
        return ElementProvider.chosen().images();
    }

    static ByteKernels bytes() {
        return ElementProvider.chosen().bytes();
    }

    static QuantizedKernels quantized() {
        return Providers.chosen().quantized();
    }

    /** As {@link #floats(ConvShape...)}. */
    static QuantizedKernels quantized(ConvShape... shapes) {
        return areCompact(shapes) ? quantized() : Plain.QUANTIZED;
    }

    private static boolean areCompact(ConvShape[] shapes) {
        for (ConvShape shape : shapes) {
            if (!shape.isCompact()) {
                return false;
            }
        }
        return true;
    }

    private static final class Plain {
        static final FloatKernels FLOATS = new PortableFloatKernels();
        static final QuantizedKernels QUANTIZED = new PortableQuantizedKernels();
    }
}
