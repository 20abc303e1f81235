package org.torchnnapi.kernels.internal.natives;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Paths;
import java.util.Arrays;
import java.util.Locale;
import org.torchnnapi.kernels.internal.ProcessorException;
import org.torchnnapi.tensor.platform.InputStreams;
import org.torchnnapi.tensor.platform.Platform;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.tensor.platform.UnpackedFile;

/**
 * The C kernels of this platform, loaded once: unpacked from the jar, or, where it has none, from the path of native
 * libraries, as on Android. They are called by the Java Native Interface; jni.c says more of each native method. System
 * properties leave out instruction sets: {@code torchnnapi.kernels.processor} those that an {@link X86Level} lacks,
 * {@code torchnnapi.kernels.amx=false} tile registers; and {@code torchnnapi.kernels.library=FILE} names another build
 * of the library, such as one with sanitizers. Where the library has nothing for the processor this class does not
 * load, as where there is no library.
 */
final class NativeLibrary {
    private static final String HALF_ISA = "fp16";
    private static final String GIVEN_LIBRARY = "torchnnapi.kernels.library";

    /** Names the best functions over bytes that this processor runs, such as {@code avx512vnni}. */
    static final String ISA;
    /** The same for functions over floats, which need no dot products. */
    static final String FLOAT_ISA;
    /** Whether the processor computes with 16-bit floats, and there are functions for it. */
    static final boolean HALVES;
    /** Whether tile registers (Intel AMX) multiply bytes here: the processor has them and the system gave leave. */
    static final boolean TILES;
    /** Whether the processor shuffles bytes of vectors of 512 bits. */
    static final boolean SHUFFLES;
    /** The size of a pointer in C. */
    static final int POINTER_BYTES;

    static {
        load();
        requireVersion();
        String arch = Platform.PROCESSOR;
        HALVES = arch.equals("aarch64") && ArmFeatures.computesHalves();
        POINTER_BYTES = arch.equals("arm") ? Integer.BYTES : Long.BYTES;
        if (arch.equals("aarch64")) {
            ISA = ArmFeatures.instructionSet();
            FLOAT_ISA = ISA;
            SHUFFLES = false;
        } else if (arch.equals("arm")) {
            ArmFeatures.requireFusedMultiplyAdd();
            ISA = "neon";
            FLOAT_ISA = ISA;
            SHUFFLES = false;
        } else {
            X86Level level = X86Level.most();
            int features = features() & level.features();
            if ((features & X86Level.FEATURE_SSE41) == 0) {
                throw new ProcessorException("the processor has no SSE4.1");
            }
            String least = (features & X86Level.FEATURE_AVX2) != 0 ? "avx2" : "sse41";
            ISA = (features & X86Level.FEATURE_VNNI) != 0
                    ? "avx512vnni"
                    : (features & X86Level.FEATURE_AVXVNNI) != 0 ? "avxvnni" : least;
            SHUFFLES = ISA.equals("avx512vnni") && (features & X86Level.FEATURE_VBMI) != 0;
            FLOAT_ISA = (features & X86Level.FEATURE_AVX512) != 0 ? "avx512vnni" : least;
        }
        boolean wanted = !"false".equals(System.getProperty("torchnnapi.kernels.amx"));
        TILES = "avx512vnni".equals(ISA) && wanted && tiles() != 0;
    }

    private NativeLibrary() {}

    /** The address of a function of the chosen instruction set. */
    static long function(String name) {
        // What gains nothing by dot products of 256 bits is AVX2's.
        return ISA.equals("avxvnni") && find(ISA, name) == 0 ? function("avx2", name) : function(ISA, name);
    }

    /** The same for a function that works on floats alone. */
    static long floatFunction(String name) {
        return function(FLOAT_ISA, name);
    }

    /** The same for a function over 16-bit floats; only where {@link #HALVES}. */
    static long halfFunction(String name) {
        return function(HALF_ISA, name);
    }

    private static long function(String isa, String name) {
        long address = find(isa, name);
        if (address == 0) {
            throw new IllegalStateException(whole(isa, name)
                    + " is not in the native library (expected: a function that kernels.table has for it)");
        }
        return address;
    }

    private static String whole(String isa, String name) {
        return "tnn_" + isa + "_" + name;
    }

    private static long find(String isa, String name) {
        byte[] text = whole(isa, name).getBytes(StandardCharsets.US_ASCII);
        return find(Arrays.copyOf(text, text.length + 1));
    }

    /** What a function of the chosen instruction set without arguments returns. */
    static int number(String name) {
        return number(function(name));
    }

    /** The same of one that works on floats alone. */
    static int floatNumber(String name) {
        return number(floatFunction(name));
    }

    private static native long version();

    private static native int features();

    private static native int tiles();

    /**
     * Lets the calling thread, and those that it starts, run on some processors alone: bit i of byte j stands for
     * processor 8 j + i. Below 0 where the system refuses it.
     */
    static native int keepTo(byte[] mask, int bytes);

    private static native long find(byte[] name);

    /** What a function without arguments returns. */
    static native int number(long function);

    /** Runs a function that takes and returns a number. */
    static native int rounds(long function, int rounds);

    /** The address of a direct buffer's first byte. */
    static native long address(ByteBuffer buffer);

    /** Memory outside the heap as a direct buffer, which does not free it. */
    static native ByteBuffer buffer(long address, long size);

    /** The address of new memory in large pages, zero at first; 0 where the system has none. */
    static native long mapPages(long size);

    static native void unmapPages(long address, long size);

    /** Gives the whole pages of a file that is mapped for reading back to the system. */
    static native void releasePages(long address, long size);

    static native void run(
            long function,
            Object plan,
            long planAddress,
            Object a,
            long aAddress,
            long aOffset,
            Object b,
            long bAddress,
            long bOffset,
            Object out,
            long outAddress,
            long outOffset,
            int op,
            int n,
            int m,
            int k,
            int i,
            int j,
            float p,
            float q);

    static native void work(
            long function,
            long plan,
            float[] in,
            long inOffset,
            float[] second,
            long secondOffset,
            float[] out,
            long outOffset,
            long scratch,
            int begin,
            int end);

    static native void pack(
            long function,
            long plan,
            float[] weights,
            long outStep,
            long channelStep,
            int[] taps,
            float[] bias,
            long packed,
            long padded);

    static native void recurrent(
            long function, long plan, long walk, float[] in, long inOffset, float[] out, long outOffset, float[] state);

    /** The instruction sets that float functions use, for people. */
    static String floatIsaLabel() {
        return switch (FLOAT_ISA) {
            case "avx2", "sse41" -> FLOAT_ISA;
            case "avx512vnni" -> "avx512";
            default -> HALVES ? "neon, " + HALF_ISA : "neon";
        };
    }

    /**
     * A library of other sources has other functions, or the same with other arguments: calling it would end the
     * virtual machine.
     */
    private static void requireVersion() {
        String expected = expectedVersion();
        String found;
        try {
            found = String.format("%016x", version());
        } catch (UnsatisfiedLinkError e) {
            found = "none";
        }
        LibraryVersionException.requireSame(found, expected, System.getProperty(GIVEN_LIBRARY, "torchnnapi"));
    }

    private static String expectedVersion() {
        try (InputStream in = NativeLibrary.class.getResourceAsStream("version")) {
            if (in == null) {
                return "none that is told";
            }
            ByteArrayOutputStream text = new ByteArrayOutputStream();
            InputStreams.copy(in, text);
            return Strings.strip(text.toString("US-ASCII"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void load() {
        String given = System.getProperty(GIVEN_LIBRARY);
        if (given != null) {
            System.load(Paths.get(given).toAbsolutePath().toString());
            return;
        }
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String arch = Platform.PROCESSOR;
        // Where Arm has 32 bits Android passes floats otherwise than Linux.
        String linux = Platform.ANDROID && arch.equals("arm") ? "android" : "linux";
        String system = os.startsWith("linux")
                ? linux
                : os.startsWith("mac") ? "macos" : os.startsWith("windows") ? "windows" : os;
        String file = system.equals("windows")
                ? "torchnnapi.dll"
                : "libtorchnnapi." + (system.equals("macos") ? "dylib" : "so");
        String resource = system + "-" + arch + "/" + file;
        try (InputStream in = NativeLibrary.class.getResourceAsStream(resource)) {
            if (in == null) {
                loadInstalled(system + "-" + arch);
                return;
            }
            try (UnpackedFile copy = UnpackedFile.of(in, file)) {
                System.load(copy.path().toString());
            }
        } catch (IOException | UnsatisfiedLinkError e) {
            // Without a cause: people are shown what is at the end of a chain of them.
            throw new UnsupportedOperationException(
                    "the library for " + system + "-" + arch + " does not load from the folder for temporary files ("
                            + e + "); name one that can be written to and run from: -Djava.io.tmpdir=FOLDER");
        }
    }

    /** An app for Android brings the library along as one of its own. */
    private static void loadInstalled(String platform) {
        try {
            System.loadLibrary("torchnnapi");
        } catch (UnsatisfiedLinkError e) {
            throw new UnsupportedOperationException("there is no library for " + platform
                    + "; build the kernels module where clang and lld are installed");
        }
    }
}
