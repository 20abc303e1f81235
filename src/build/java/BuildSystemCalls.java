import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds the freestanding calls of the system's library: {@code java BuildSystemCalls.java SOURCE OBJECTS CLASSES
 * all|here|PLATFORM,... told|refused}. With clang and lld for Linux on x86-64 and arm64 and for Android on these and
 * their predecessors of 32 bits; with gcc for this Linux machine. What cannot be built is told in one line, and there
 * are no devices of the system then, or it is refused, as for a release. Libraries, and the file {@code version} beside
 * their folders, bear the version of the sources beside SOURCE.
 */
final class BuildSystemCalls {
    private static final List<String> PLATFORMS =
            List.of("linux-x86_64", "linux-aarch64", "android-x86_64", "android-aarch64", "android-x86", "android-arm");
    private static final String LIBRARY = "libtorchnnapi_system.so";
    private static final List<String> COMMON = List.of(
            "-O2",
            "-std=gnu11",
            "-ffreestanding",
            "-fPIC",
            "-fno-stack-protector",
            "-fno-unwind-tables",
            "-fno-asynchronous-unwind-tables",
            "-fvisibility=hidden",
            "-Wall",
            "-Wextra",
            "-Werror");
    /** Phones with pages of 16 KB load what is aligned to them. */
    private static final List<String> LINK = List.of(
            "lld",
            "-flavor",
            "gnu",
            "-shared",
            "--gc-sections",
            "-s",
            "-z",
            "noexecstack",
            "-z",
            "max-page-size=16384");

    private final Path source;
    private final Path objects;
    private final Path classes;
    private final String version;

    private BuildSystemCalls(Path source, Path objects, Path classes) throws IOException {
        version = SourcesVersion.of(source.toAbsolutePath().getParent());
        this.source = source;
        this.objects = objects;
        this.classes = classes;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        BuildSystemCalls build = new BuildSystemCalls(Path.of(args[0]), Path.of(args[1]), Path.of(args[2]));
        Files.createDirectories(build.objects);
        Files.writeString(Files.createDirectories(build.classes).resolve("version"), build.version + "\n");
        boolean clang = Toolchain.hasClangAndLld();
        List<String> made = new ArrayList<>();
        List<String> missed = new ArrayList<>();
        for (String platform : Toolchain.wanted(args[3], PLATFORMS)) {
            if (clang) {
                build.withClang(platform);
                made.add(platform);
            } else if (platform.equals(Toolchain.thisPlatform()) && Toolchain.hasGcc()) {
                build.withGcc(platform);
                made.add(platform);
            } else {
                missed.add(platform);
            }
        }
        Toolchain.tellMissed(
                "calls of the system's NNAPI", made, missed, "elsewhere there are no devices of the system", args[4]);
    }

    private void withClang(String platform) throws IOException, InterruptedException {
        boolean android = platform.startsWith("android");
        String target = android
                ? androidTarget(platform.substring(platform.indexOf('-') + 1))
                : platform.substring(platform.indexOf('-') + 1) + "-linux-gnu";
        Path object = objects.resolve(platform + ".o");
        List<String> compile = new ArrayList<>(List.of("clang", "--target=" + target));
        compile.addAll(COMMON);
        compile.addAll(List.of(definition(), "-c", source.toString(), "-o", object.toString()));
        must(compile);
        List<String> link = new ArrayList<>(LINK);
        if (android) {
            link.addAll(
                    List.of("--no-undefined", dynamicLinker(target, platform).toString()));
        }
        link.addAll(List.of(object.toString(), "-o", target(platform).toString()));
        must(link);
    }

    private static String androidTarget(String processor) {
        return switch (processor) {
            case "arm" -> "armv7a-linux-androideabi26";
            case "x86" -> "i686-linux-android26";
            default -> processor + "-linux-android26";
        };
    }

    /** What stands in for Android's own libdl while linking: the names that are called. */
    private Path dynamicLinker(String target, String platform) throws IOException, InterruptedException {
        Path stub = objects.resolve(platform + "-dl.c");
        Files.writeString(stub, "void dlopen(void) {}\nvoid dlsym(void) {}\nvoid dlerror(void) {}\n");
        Path object = objects.resolve(platform + "-dl.o");
        must(List.of(
                "clang",
                "--target=" + target,
                "-ffreestanding",
                "-fno-builtin",
                "-fPIC",
                "-c",
                stub.toString(),
                "-o",
                object.toString()));
        Path library = Files.createDirectories(objects.resolve(platform)).resolve("libdl.so");
        must(List.of(
                "lld",
                "-flavor",
                "gnu",
                "-shared",
                "-soname",
                "libdl.so",
                object.toString(),
                "-o",
                library.toString()));
        return library;
    }

    private void withGcc(String platform) throws IOException, InterruptedException {
        List<String> compile = new ArrayList<>(List.of("gcc"));
        compile.addAll(COMMON);
        compile.addAll(List.of(
                definition(),
                "-shared",
                "-nostdlib",
                "-s",
                source.toString(),
                "-o",
                target(platform).toString()));
        must(compile);
    }

    private String definition() {
        return "-DSOURCES_VERSION=0x" + version;
    }

    private Path target(String platform) throws IOException {
        return Files.createDirectories(classes.resolve(platform)).resolve(LIBRARY);
    }

    private static void must(List<String> command) throws IOException, InterruptedException {
        if (!Toolchain.runs(command)) {
            throw new IllegalStateException("calls of the system's NNAPI: see the messages above");
        }
    }
}
