import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** What the builds of native code share: running compilers, naming platforms, and saying which could not be built. */
final class Toolchain {
    private Toolchain() {}

    /** Whether a command could be run and said yes; what it says otherwise is shown. */
    static boolean runs(List<String> command) throws IOException, InterruptedException {
        Process process;
        try {
            process = new ProcessBuilder(command).redirectErrorStream(true).start();
        } catch (IOException notInstalled) {
            return false;
        }
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (process.waitFor() == 0) {
            return true;
        }
        System.out.println(String.join(" ", command) + "\n" + output);
        return false;
    }

    /** Whether all platforms can be built for. */
    static boolean hasClangAndLld() throws IOException, InterruptedException {
        return runs(List.of("clang", "--version")) && runs(List.of("lld", "-flavor", "gnu", "--version"));
    }

    /**
     * Whether this machine can be built for, with the system's own compiler and linker; not on Windows, where its
     * libraries lack an entry.
     */
    static boolean hasGcc() throws IOException, InterruptedException {
        return !thisPlatform().startsWith("windows") && runs(List.of("gcc", "--version"));
    }

    static String thisPlatform() {
        String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        String name = System.getProperty("os.arch");
        String arch = name.equals("aarch64") ? "aarch64" : name.startsWith("arm") ? "arm" : "x86_64";
        return (os.startsWith("linux") ? "linux" : os.startsWith("mac") ? "macos" : "windows") + "-" + arch;
    }

    /**
     * The platforms to build for.
     *
     * @param argument {@code all}, {@code here}, or names divided by commas
     * @param all what can be built
     * @throws IllegalArgumentException on a name that no native code is built for
     */
    static List<String> wanted(String argument, List<String> all) {
        if (argument.equals("all")) {
            return all;
        }
        List<String> named = List.of((argument.equals("here") ? thisPlatform() : argument).split(","));
        for (String name : named) {
            if (!name.matches("(linux|android|windows|macos)-(x86_64|aarch64|x86|arm)")) {
                throw new IllegalArgumentException("native.platforms: " + name
                        + " (expected: all, here, or linux, android, windows or macos with -x86_64 or "
                        + "-aarch64, linux or android with -arm, or android with -x86)");
            }
        }
        return all.stream().filter(named::contains).toList();
    }

    /**
     * Says what could not be built.
     *
     * @param what the native code
     * @param instead what serves in its place
     * @param missing {@code told}, or {@code refused} for a release, which is to have all that was wanted
     * @throws IllegalStateException if something is missed and that is refused
     */
    static void tellMissed(String what, List<String> made, List<String> missed, String instead, String missing) {
        if (missed.isEmpty()) {
            return;
        }
        String text = what + ": built for " + made + ", not for " + missed;
        if (missing.equals("refused")) {
            throw new IllegalStateException(
                    text + " (expected: all of them in a release; install clang and lld, which build all, or name"
                            + " the platforms that it is to have by -Dnative.platforms=here or =linux-x86_64,...)");
        }
        System.out.println(text + " (clang and lld build all, gcc this machine's; " + instead + ")");
    }
}
