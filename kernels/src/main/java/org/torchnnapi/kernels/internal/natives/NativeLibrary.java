package org.torchnnapi.kernels.internal.natives;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.Paths;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Locale;
import org.torchnnapi.tensor.platform.InputStreams;
import org.torchnnapi.tensor.platform.Strings;

/**
 * The C kernels of this platform, loaded once: unpacked from the jar, or, where it has none, from the path of native libraries, as on
 * Android. They are called by the Java Native Interface; jni.c says more of each native method. System properties leave out instruction
 * sets: {@code torchnnapi.kernels.avx2=true} AVX-512, {@code torchnnapi.kernels.amx=false} tile registers; and
 * {@code torchnnapi.kernels.library=FILE} names another build of the library, such as one with sanitizers.
 */
final class NativeLibrary {
    private static final String GIVEN_LIBRARY = "torchnnapi.kernels.library";

    /** Names the best functions over bytes that this processor runs, such as {@code avx512vnni}; null if it runs none. */
    static final String ISA;
    /** The same for functions over floats, which need no dot products. */
    static final String FLOAT_ISA;
    /** Whether tile registers (Intel AMX) multiply bytes here: the processor has them and the system gave leave. */
    static final boolean TILES;

    static {
        load();
        requireVersion();
        String arch = System.getProperty("os.arch");
        if (arch.equals("aarch64") || arch.equals("arm64")) {
            ISA = ArmFeatures.instructionSet();
            FLOAT_ISA = ISA;
        } else {
            int features = features();
            boolean narrow = Boolean.getBoolean("torchnnapi.kernels.avx2");
            String avx2 = (features & 1) != 0 ? "avx2" : null;
            ISA = (features & 4) != 0 && !narrow ? "avx512vnni" : avx2;
            FLOAT_ISA = (features & 2) != 0 && !narrow ? "avx512vnni" : avx2;
        }
        boolean wanted = !"false".equals(System.getProperty("torchnnapi.kernels.amx"));
        TILES = "avx512vnni".equals(ISA) && wanted && tiles() != 0;
    }

    private NativeLibrary() {
    }

    /** The address of a function of the chosen instruction set. */
    static long function(String name) {
        return function(ISA, "dot products (or does not tell)", name);
    }

    /** The same for a function that works on floats alone. */
    static long floatFunction(String name) {
        return function(FLOAT_ISA, "AVX2 with FMA", name);
    }

    private static long function(String isa, String needed, String name) {
        if (isa == null) {
            throw new UnsupportedOperationException("the processor has no " + needed);
        }
        String whole = "tnn_" + isa + "_" + name;
        byte[] text = whole.getBytes(StandardCharsets.US_ASCII);
        long address = find(Arrays.copyOf(text, text.length + 1));
        if (address == 0) {
            throw new IllegalStateException(whole + " is not in the native library (expected: a function that functions.c lists)");
        }
        return address;
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

    private static native long find(byte[] name);

    private static native int number(long function);

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

    static native void run(long function, Object plan, long planAddress, Object a, long aAddress, long aOffset, Object b, long bAddress,
                           long bOffset, Object out, long outAddress, long outOffset, int op, int n, int m, int k, int i, int j, float p,
                           float q);

    static native void work(long function, long plan, float[] in, long inOffset, float[] second, long secondOffset, float[] out,
                            long outOffset, long scratch, int begin, int end);

    static native void pack(long function, long plan, float[] weights, long outStep, long channelStep, int[] taps, float[] bias, long packed,
                            long padded);

    static native void recurrent(long function, long plan, long[] walk, float[] in, long inOffset, float[] out, long outOffset, float[] state);

    /** The instruction set that float functions use, for people. */
    static String floatIsaLabel() {
        return switch (FLOAT_ISA) {
            case "avx2" -> "avx2";
            case "avx512vnni" -> "avx512";
            default -> "neon";
        };
    }

    /** A library of other sources has other functions, or the same with other arguments: calling it would end the virtual machine. */
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
        String system = os.startsWith("linux") ? "linux" : os.startsWith("mac") ? "macos" : os.startsWith("windows") ? "windows" : os;
        String arch = switch (System.getProperty("os.arch")) {
            case "amd64", "x86_64" -> "x86_64";
            case "arm64", "aarch64" -> "aarch64";
            default -> System.getProperty("os.arch");
        };
        String file = system.equals("windows") ? "torchnnapi.dll" : "libtorchnnapi." + (system.equals("macos") ? "dylib" : "so");
        String resource = system + "-" + arch + "/" + file;
        try (InputStream in = NativeLibrary.class.getResourceAsStream(resource)) {
            if (in == null) {
                loadInstalled(system + "-" + arch);
                return;
            }
            Path copy = copy(in, file);
            try {
                System.load(copy.toString());
            } finally {
                if (system.equals("windows")) {
                    copy.toFile().deleteOnExit();
                } else {
                    Files.delete(copy);
                }
            }
        } catch (IOException | UnsatisfiedLinkError e) {
            // Without a cause: people are shown what is at the end of a chain of them.
            throw new UnsupportedOperationException("the library for " + system + "-" + arch + " does not load from the folder for temporary files ("
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

    /**
     * Copies to a new file among the temporary ones. {@code Files.createTempFile} would start the security providers for its names,
     * which takes longer than all else here; a name that is taken is refused by the system and another tried.
     */
    private static Path copy(InputStream in, String file) throws IOException {
        Path folder = Paths.get(System.getProperty("java.io.tmpdir")).toAbsolutePath();
        long number = System.nanoTime();
        while (true) {
            Path copy = folder.resolve("torchnnapi" + Long.toUnsignedString(number, 36) + file);
            try (OutputStream out = Files.newOutputStream(copy, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                InputStreams.copy(in, out);
                return copy;
            } catch (FileAlreadyExistsException taken) {
                number++;
            } catch (IOException full) {
                Files.deleteIfExists(copy);
                throw full;
            }
        }
    }
}
