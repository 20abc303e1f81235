import com.android.tools.r8.D8;
import com.android.tools.r8.D8Command;
import com.android.tools.r8.R8;
import com.android.tools.r8.R8Command;
import com.android.tools.r8.origin.Origin;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;

/**
 * Translates for Android's runtime what goes on a phone: {@code java -cp r8.jar MakeDex.java MIN_API ANDROID_JAR WORK
 * SIZES LIBRARY LIBRARY_RULES APP APP_RULES PROGRAM PROGRAM_RULES CLASSPATH told|refused}. The library as a whole, and
 * what of it R8 leaves in an app and in the command for phones. Prints what all take, native libraries too, and where
 * something takes more than the file SIZES allows tells or refuses it ({@link SizeLimits}): classes whose call sites
 * were not linked ahead take more. An app whose classes are not there is left out, as are native libraries that this
 * machine cannot build.
 */
final class MakeDex {
    private final String level;
    private final List<String> platform;
    private final Path work;
    private final Map<String, Long> sizes = new TreeMap<>();

    private MakeDex(String level, String android, Path work) {
        this.level = level;
        this.platform = List.of("--lib", System.getProperty("java.home"), "--lib", android);
        this.work = work;
    }

    public static void main(String[] args) throws Exception {
        Path work = Files.createDirectories(Path.of(args[2]));
        MakeDex make = new MakeDex(args[0], args[1], work);
        String library = args[4];
        make.dex("library", library);
        if (Files.exists(Path.of(args[6]))) {
            make.shrunk("app", List.of(args[6], library), List.of(args[5], args[7]));
        }
        List<String> program = new ArrayList<>(List.of(args[8], library));
        program.addAll(List.of(args[10].split(":")));
        make.shrunk("command", program, List.of(args[5], args[9]));
        List<String> tooLarge = new SizeLimits(Path.of(args[3]), make.sizes).check();
        tooLarge.forEach(System.err::println);
        if (!tooLarge.isEmpty() && args[11].equals("refused")) {
            System.exit(1);
        }
    }

    private void dex(String name, String classes) throws Exception {
        Path dex = work.resolve(name + "-dex.zip");
        D8.run(D8Command.parse(
                        arguments(
                                List.of("--release", "--min-api", level),
                                platform,
                                List.of("--output", dex.toString(), classes)),
                        Origin.root())
                .build());
        sizes.put(name, dexBytes(dex));
    }

    /** First as classes of Java's, so that what is run on a computer is what is translated. */
    private void shrunk(String name, List<String> inputs, List<String> rules) throws Exception {
        String classes = work.resolve(name + ".jar").toString();
        List<String> ruleFiles = new ArrayList<>();
        rules.forEach(file -> ruleFiles.addAll(List.of("--pg-conf", file)));
        R8.run(R8Command.parse(
                        arguments(
                                List.of("--release", "--classfile"),
                                platform,
                                ruleFiles,
                                List.of("--output", classes),
                                inputs),
                        Origin.root())
                .build());
        dex(name, classes);
    }

    @SafeVarargs
    private static String[] arguments(Collection<String>... parts) {
        return Stream.of(parts).flatMap(Collection::stream).toArray(String[]::new);
    }

    private static long dexBytes(Path zip) throws IOException {
        try (ZipFile file = new ZipFile(zip.toFile())) {
            return file.stream()
                    .filter(entry -> entry.getName().endsWith(".dex"))
                    .mapToLong(ZipEntry::getSize)
                    .sum();
        }
    }
}
