package org.torchnnapi.kernels.internal.foreign;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/**
 * The C kernels of this platform, unpacked from the jar and loaded once. System properties leave out instruction sets: {@code
 * torchnnapi.kernels.avx2=true} AVX-512, {@code torchnnapi.kernels.amx=false} tile registers.
 */
final class NativeLibrary {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final SymbolLookup LOOKUP = load();
    /** Names the best functions over bytes that this processor runs, such as {@code avx512vnni}; null if it runs none. */
    static final String ISA;
    /** The same for functions over floats, which need no dot products. */
    static final String FLOAT_ISA;
    /** Whether tile registers (Intel AMX) multiply bytes here: the processor has them and the system gave leave. */
    static final boolean TILES;

    static {
        String arch = System.getProperty("os.arch");
        if (arch.equals("aarch64") || arch.equals("arm64")) {
            ISA = chooseArm();
            FLOAT_ISA = ISA == null ? "dotprod" : ISA;
        } else {
            int features = number("tnn_features");
            boolean narrow = Boolean.getBoolean("torchnnapi.kernels.avx2");
            String avx2 = (features & 1) != 0 ? "avx2" : null;
            ISA = (features & 4) != 0 && !narrow ? "avx512vnni" : avx2;
            FLOAT_ISA = (features & 2) != 0 && !narrow ? "avx512vnni" : avx2;
        }
        boolean wanted = !"false".equals(System.getProperty("torchnnapi.kernels.amx"));
        TILES = "avx512vnni".equals(ISA) && wanted && number("tnn_tiles") != 0;
    }

    private NativeLibrary() {
    }

    /**
     * A function of the chosen instruction set, called without leaving the Java state, so that arrays of the heap can be passed. Linking
     * takes milliseconds for each descriptor that is new, next to nothing for one that was linked before: keep them few.
     */
    static MethodHandle function(String name, FunctionDescriptor descriptor) {
        return function(ISA, "dot products (or does not tell)", name, descriptor);
    }

    /** The same for a function that works on floats alone. */
    static MethodHandle floatFunction(String name, FunctionDescriptor descriptor) {
        return function(FLOAT_ISA, "AVX2 with FMA", name, descriptor);
    }

    private static MethodHandle function(String isa, String needed, String name, FunctionDescriptor descriptor) {
        if (isa == null) {
            throw new UnsupportedOperationException("the processor has no " + needed);
        }
        return LINKER.downcallHandle(LOOKUP.findOrThrow("tnn_" + isa + "_" + name), descriptor, Linker.Option.critical(true));
    }

    /** The instruction set that float functions use, for people. */
    static String floatIsaLabel() {
        return switch (FLOAT_ISA) {
            case "avx2" -> "avx2";
            case "avx512vnni" -> "avx512";
            default -> "neon";
        };
    }

    /** What to throw when a native function threw, which none declares. */
    static RuntimeException unexpected(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        return thrown instanceof RuntimeException unchecked ? unchecked : new IllegalStateException(thrown);
    }

    static int number(String name) {
        return call(LINKER.downcallHandle(LOOKUP.findOrThrow(name), FunctionDescriptor.of(ValueLayout.JAVA_INT)));
    }

    private static int call(MethodHandle handle) {
        try {
            return (int) handle.invokeExact();
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    private static SymbolLookup load() {
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
                throw new UnsupportedOperationException("there is no library for " + system + "-" + arch
                    + "; build the kernels module where clang and lld are installed");
            }
            Path copy = copy(in, file);
            SymbolLookup lookup = SymbolLookup.libraryLookup(copy, Arena.global());
            if (system.equals("windows")) {
                copy.toFile().deleteOnExit();
            } else {
                Files.delete(copy);
            }
            return lookup;
        } catch (IOException | IllegalArgumentException e) {
            throw new UnsupportedOperationException("the library for " + system + "-" + arch + " does not load: " + e.getMessage(), e);
        }
    }

    /**
     * Copies to a new file among the temporary ones. {@code Files.createTempFile} would start the security providers for its names,
     * which takes longer than all else here; a name that is taken is refused by the system and another tried.
     */
    private static Path copy(InputStream in, String file) throws IOException {
        Path folder = Path.of(System.getProperty("java.io.tmpdir"));
        long number = System.nanoTime();
        while (true) {
            Path copy = folder.resolve("torchnnapi" + Long.toUnsignedString(number, 36) + file);
            try (OutputStream out = Files.newOutputStream(copy, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
                in.transferTo(out);
                return copy;
            } catch (FileAlreadyExistsException taken) {
                number++;
            }
        }
    }

    /** Arm processors do not tell a program; Linux does, and every Mac has dot products. */
    private static String chooseArm() {
        String features = "";
        try {
            features = Files.readString(Path.of("/proc/cpuinfo"));
        } catch (IOException notLinux) {
            features = System.getProperty("os.name").startsWith("Mac") ? "asimddp" : "";
        }
        if (features.contains("i8mm")) {
            return "i8mm";
        }
        if (features.contains("asimddp")) {
            return "dotprod";
        }
        return null;
    }
}
