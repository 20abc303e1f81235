package org.torchnnapi.kernels.internal;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.torchnnapi.kernels.internal.portable.PortableFloatKernels;
import org.torchnnapi.kernels.internal.portable.PortableQuantizedKernels;

/**
 * The choice of providers. The faster ones need a newer JDK than this class and are loaded by name.
 *
 * @param blocked whether the float kernels are fastest in the blocked layout
 * @param lines for people: what was chosen, why, and what to type for a better choice
 */
public record Providers(FloatKernels floats, QuantizedKernels quantized, boolean blocked, List<String> lines) {
    /** System property that limits the choice: {@code portable}, {@code vector}, or {@code native}, the default. */
    public static final String LIMIT = "torchnnapi.kernels";

    private static final int NEEDED_JDK = 25;
    private static final String VECTOR_MODULE = "jdk.incubator.vector";
    private static final String VECTOR_CLASS = "org.torchnnapi.kernels.internal.vector.VectorFloatKernels";
    private static final String NATIVE_CLASS = "org.torchnnapi.kernels.internal.foreign.NativeQuantizedKernels";

    /** Decides on first use. */
    public static Providers chosen() {
        return Holder.CHOSEN;
    }

    private static Providers choose(String limit) {
        List<String> lines = new ArrayList<>();
        FloatKernels floats = chooseFloats(limit, lines);
        QuantizedKernels quantized = chooseQuantized(limit, lines);
        return new Providers(floats, quantized, !floats.getClass().equals(PortableFloatKernels.class), List.copyOf(lines));
    }

    private static FloatKernels chooseFloats(String limit, List<String> lines) {
        String refusal = limit.equals("portable") ? LIMIT + "=portable was given" : whyNoVectors();
        if (refusal == null) {
            try {
                FloatKernels floats = (FloatKernels) load(VECTOR_CLASS);
                lines.add("float kernels: vector (" + floats.channelBlock() * Float.SIZE + "-bit, " + VECTOR_MODULE + ")");
                return floats;
            } catch (ReflectiveOperationException | LinkageError e) {
                refusal = "they do not load: " + reason(e);
            }
        }
        lines.add("float kernels: portable (no vector kernels, since " + refusal + ")");
        return new PortableFloatKernels();
    }

    private static QuantizedKernels chooseQuantized(String limit, List<String> lines) {
        String refusal = limit.equals("portable") || limit.equals("vector") ? LIMIT + "=" + limit + " was given"
            : feature() < NEEDED_JDK ? "this is Java " + feature() + "; run on a JDK " + NEEDED_JDK : null;
        if (refusal == null) {
            try {
                QuantizedKernels quantized = (QuantizedKernels) load(NATIVE_CLASS);
                lines.add("int8 kernels: " + quantized);
                return quantized;
            } catch (ReflectiveOperationException | LinkageError e) {
                refusal = reason(e);
            }
        }
        lines.add("int8 kernels: portable (no native kernels, since " + refusal + ")");
        return new PortableQuantizedKernels();
    }

    private static String reason(Throwable thrown) {
        Throwable cause = thrown;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        return cause.getMessage() == null ? cause.toString() : cause.getMessage();
    }

    /** Null if the Vector API can be used, else the reason and what to do. */
    private static String whyNoVectors() {
        if (feature() < NEEDED_JDK) {
            return "this is Java " + feature() + "; run on a JDK " + NEEDED_JDK;
        }
        if (System.getProperty("java.vm.info", "").startsWith("interpreted")) {
            return "the JVM only interprets; leave out -Xint";
        }
        Optional<Module> module = ModuleLayer.boot().findModule(VECTOR_MODULE);
        if (module.isEmpty()) {
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

    static Object load(String name) throws ReflectiveOperationException {
        return Class.forName(name).getDeclaredConstructor().newInstance();
    }

    private static final class Holder {
        static final Providers CHOSEN = choose(System.getProperty(LIMIT, ""));
    }
}
