import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Tells what goes on a phone takes, and refuses what is too large: {@code java SizeLimits.java LIMITS}. Each line of
 * the file LIMITS names what is limited and the most bytes that it may take: code by its name, files by their paths
 * from there. Native libraries are held to it as a release has them, compiled by clang; what gcc makes of the same
 * sources is larger, and serves the machine it was made on alone: it is told.
 */
final class SizeLimits {
    private static final double KILOBYTE = 1 << 10;
    /** What gcc leaves in the section {@code .comment} of everything that it compiles. */
    private static final byte[] GCC = "GCC: (".getBytes(StandardCharsets.US_ASCII);

    private final Path limits;
    private final Map<String, Long> code;
    private final List<String> tooLarge = new ArrayList<>();

    /** @param code bytes of what is no file, by name */
    SizeLimits(Path limits, Map<String, Long> code) {
        this.limits = limits;
        this.code = code;
    }

    public static void main(String[] args) throws IOException {
        List<String> tooLarge = new SizeLimits(Path.of(args[0]), Map.of()).check();
        tooLarge.forEach(System.err::println);
        System.exit(tooLarge.isEmpty() ? 0 : 1);
    }

    /** Prints a line of each, and gives one of each that is too large. */
    List<String> check() throws IOException {
        for (String line : Files.readAllLines(limits)) {
            if (!line.isBlank() && !line.startsWith("#")) {
                String[] words = line.split(" +");
                check(words[0], Long.parseLong(words[1]));
            }
        }
        return tooLarge;
    }

    private void check(String name, long most) throws IOException {
        Path file = limits.resolveSibling(name);
        if (!code.containsKey(name) && !Files.exists(file)) {
            System.out.println(name + ": not built here");
            return;
        }
        long size = code.containsKey(name) ? code.get(name) : Files.size(file);
        boolean held = code.containsKey(name) || !isOfGcc(file);
        System.out.printf(
                "%s: %.0f KB (%s%.0f)%n",
                name, size / KILOBYTE, held ? "at most " : "compiled by gcc; by clang at most ", most / KILOBYTE);
        if (held && size > most) {
            tooLarge.add(
                    name + ": " + size + " bytes (expected: at most " + most + ", see " + limits.getFileName() + ")");
        }
    }

    private static boolean isOfGcc(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        for (int i = 0; i + GCC.length <= bytes.length; i++) {
            int same = 0;
            while (same < GCC.length && bytes[i + same] == GCC[same]) {
                same++;
            }
            if (same == GCC.length) {
                return true;
            }
        }
        return false;
    }
}
