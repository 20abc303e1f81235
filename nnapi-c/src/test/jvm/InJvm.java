import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;

/**
 * A Java program that loads the library: {@code java InJvm.java LIBRARY}. The library has to make do with this virtual
 * machine.
 */
final class InJvm {
    private InJvm() {}

    public static void main(String[] args) throws Throwable {
        SymbolLookup library = SymbolLookup.libraryLookup(Path.of(args[0]), Arena.global());
        MethodHandle count = Linker.nativeLinker()
                .downcallHandle(
                        library.find("ANeuralNetworks_getDeviceCount").orElseThrow(),
                        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS));
        MemorySegment devices = Arena.global().allocate(ValueLayout.JAVA_INT);
        int code = (int) count.invoke(devices);
        int found = devices.get(ValueLayout.JAVA_INT, 0);
        Class<?> own;
        try {
            own = Class.forName("org.torchnnapi.c.Handle");
        } catch (ClassNotFoundException apart) {
            own = null;
        }
        System.out.println("code " + code + ", " + (found >= 2 ? "devices" : found) + ", classes "
                + (own == null ? "apart" : "mixed"));
    }
}
