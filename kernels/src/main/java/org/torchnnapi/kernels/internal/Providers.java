package org.torchnnapi.kernels.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.torchnnapi.kernels.internal.portable.PortableFloatKernels;
import org.torchnnapi.kernels.internal.portable.PortableQuantizedKernels;
import org.torchnnapi.tensor.platform.OnJdkOnly;

/**
 * The choice of providers. The faster ones may not load everywhere, the vector ones need a newer JDK than this class:
 * they are loaded by name.
 *
 * @param blocked whether the float kernels are fastest in the blocked layout
 * @param lines for people: what was chosen, why, and what to type for a better choice
 */
public record Providers(FloatKernels floats, QuantizedKernels quantized, boolean blocked, List<String> lines) {
    /** System property that limits the choice: {@code portable}, {@code vector}, or {@code native}, the default. */
    public static final String LIMIT = "torchnnapi.kernels";

    private static final List<String> LIMITS = List.of("native", "vector", "portable");
    private static final int NEEDED_JDK = 25;
    private static final String VECTOR_MODULE = "jdk.incubator.vector";
    private static final String VECTOR_CLASS = "org.torchnnapi.kernels.internal.vector.VectorFloatKernels";
    private static final String VECTOR_QUANTIZED_CLASS =
            "org.torchnnapi.kernels.internal.vector.VectorQuantizedKernels";
    private static final String NATIVE_LIBRARY = "org.torchnnapi.kernels.internal.natives.NativeLibrary";
    private static final String NATIVE_FLOAT_CLASS = "org.torchnnapi.kernels.internal.natives.NativeFloatKernels";
    private static final String NATIVE_CLASS = "org.torchnnapi.kernels.internal.natives.NativeQuantizedKernels";

    /** Decides on first use. */
    public static Providers chosen() {
        return Holder.CHOSEN;
    }

    /** Whether the 8-bit kernels are native, and so native code can be called. */
    boolean isNative() {
        return quantized.getClass().getName().equals(NATIVE_CLASS);
    }

    private static Providers choose(String limit) {
        List<String> lines = new ArrayList<>();
        if (!limit.isEmpty() && !LIMITS.contains(limit)) {
            lines.add(LIMIT + ": " + limit + " (expected: one of " + String.join(", ", LIMITS) + "; it is taken for "
                    + LIMITS.get(0) + ")");
        }
        FloatKernels floats = chooseFloats(limit, lines);
        QuantizedKernels quantized = chooseQuantized(limit, lines);
        return new Providers(
                floats, quantized, !floats.getClass().equals(PortableFloatKernels.class), List.copyOf(lines));
    }

    private static FloatKernels chooseFloats(String limit, List<String> lines) {
        String noNative = whyNotNative(limit);
        if (noNative == null) {
            try {
                FloatKernels floats = (FloatKernels) load(NATIVE_FLOAT_CLASS);
                lines.add("float kernels: " + floats);
                return floats;
            } catch (ReflectiveOperationException | LinkageError e) {
                noNative = reason(e);
            }
        }
        String noVector = whyNoVectors(limit, noNative);
        if (noVector == null) {
            try {
                FloatKernels floats = (FloatKernels) load(VECTOR_CLASS);
                lines.add("float kernels: vector (" + floats.channelBlock() * Float.SIZE + "-bit, " + VECTOR_MODULE
                        + "; no native kernels, since " + noNative + ")");
                return floats;
            } catch (ReflectiveOperationException | LinkageError e) {
                noVector = "they do not load: " + reason(e);
            }
        }
        lines.add("float kernels: portable (no native kernels, since " + noNative
                + (noVector.equals(noNative) ? "" : "; no vector kernels, since " + noVector) + ")");
        return new PortableFloatKernels();
    }

    private static QuantizedKernels chooseQuantized(String limit, List<String> lines) {
        String refusal = whyNotNative(limit);
        if (refusal == null) {
            try {
                QuantizedKernels quantized = (QuantizedKernels) load(NATIVE_CLASS);
                lines.add("int8 kernels: " + quantized);
                return quantized;
            } catch (ReflectiveOperationException | LinkageError e) {
                refusal = reason(e);
            }
        }
        String noVector = whyNoVectors(limit, refusal);
        if (noVector == null) {
            try {
                QuantizedKernels quantized = (QuantizedKernels) load(VECTOR_QUANTIZED_CLASS);
                lines.add("int8 kernels: vector (over those of floats; no native kernels, since " + refusal + ")");
                return quantized;
            } catch (ReflectiveOperationException | LinkageError e) {
                noVector = "they do not load: " + reason(e);
            }
        }
        lines.add("int8 kernels: portable (no native kernels, since " + refusal
                + (noVector.equals(refusal) ? "" : "; no vector kernels, since " + noVector) + ")");
        return new PortableQuantizedKernels();
    }

    /** Null if native code can be called, else the reason and what to do. */
    static String whyNotNative(String limit) {
        if (limit.equals("portable") || limit.equals("vector")) {
            return LIMIT + "=" + limit + " was given";
        }
        return Native.PROBLEM;
    }

    /** Tries the library once: of a class that failed to load, the JVM tells the reason only the first time. */
    private static final class Native {
        private static final Throwable FAILURE = failure();
        static final String PROBLEM = FAILURE == null ? null : reason(FAILURE);
        /** Whether the processor is too old for it. */
        static final boolean LACKS_PROCESSOR = FAILURE != null && root(FAILURE) instanceof ProcessorException;

        private static Throwable failure() {
            try {
                Class.forName(NATIVE_LIBRARY);
                return null;
            } catch (ReflectiveOperationException | LinkageError e) {
                return e;
            }
        }
    }

    private static String reason(Throwable thrown) {
        Throwable cause = root(thrown);
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    private static Throwable root(Throwable thrown) {
        Throwable cause = thrown;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause;
    }

    /** Null if vector kernels can serve where native ones do not, else the reason. */
    private static String whyNoVectors(String limit, String noNative) {
        if (limit.equals("portable")) {
            return noNative;
        }
        // Such a processor has no fused multiply-add either, which Java then computes with numbers of any length.
        return !limit.equals("vector") && Native.LACKS_PROCESSOR ? noNative : whyNoVectors();
    }

    /** Null if the Vector API can be used, else the reason and what to do. */
    @OnJdkOnly
    private static String whyNoVectors() {
        if (feature() < NEEDED_JDK) {
            return "this is Java " + feature() + "; run on a JDK " + NEEDED_JDK;
        }
        if (System.getProperty("java.vm.info", "").startsWith("interpreted")) {
            return "the JVM only interprets; leave out -Xint";
        }
        Optional<Module> module = ModuleLayer.boot().findModule(VECTOR_MODULE);
        if (!module.isPresent()) {
            return "the module is not there; add --add-modules " + VECTOR_MODULE;
        }
        Providers.class.getModule().addReads(module.get());
        return null;
    }

    /** The number of the Java version; 0 where there is none, as on Android. */
    private static int feature() {
        try {
            return (int) Double.parseDouble(System.getProperty("java.specification.version", "0"));
        } catch (NumberFormatException e) {
            return 0;
        }
    }

    /** The native kernels of that class where the native library was found, else portable ones. */
    static <T> T nativeOr(Class<T> type, String name, Supplier<T> portable) {
        if (!chosen().isNative()) {
            return portable.get();
        }
        try {
            return type.cast(load(name));
        } catch (ReflectiveOperationException | LinkageError e) {
            return portable.get();
        }
    }

    static Object load(String name) throws ReflectiveOperationException {
        return Class.forName(name).getDeclaredConstructor().newInstance();
    }

    private static final class Holder {
        static final Providers CHOSEN = choose(System.getProperty(LIMIT, ""));
    }
}
