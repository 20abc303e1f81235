import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Builds the freestanding calls of the system's library: {@code java BuildSystemCalls.java SOURCE OBJECTS CLASSES all|here|PLATFORM,...}. With clang and
 * lld for Linux and Android on x86-64 and arm64; with gcc for this Linux machine. Without a compiler one line says so: there are then no devices
 * of the system.
 */
final class BuildSystemCalls {
    private static final String LIBRARY = "libtorchnnapi_system.so";
    private static final List<String> COMMON = List.of("-O2", "-std=gnu11", "-ffreestanding", "-fPIC", "-fno-stack-protector",
        "-fvisibility=hidden", "-Wall", "-Wextra", "-Werror");
    /** Phones with pages of 16 KB load what is aligned to them. */
    private static final List<String> LINK = List.of("lld", "-flavor", "gnu", "-shared", "--gc-sections", "-s", "-z", "noexecstack", "-z",
        "max-page-size=16384");

    private final Path source;
    private final Path objects;
    private final Path classes;

    private BuildSystemCalls(Path source, Path objects, Path classes) {
        this.source = source;
        this.objects = objects;
        this.classes = classes;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        BuildSystemCalls build = new BuildSystemCalls(Path.of(args[0]), Path.of(args[1]), Path.of(args[2]));
        Files.createDirectories(build.objects);
        boolean clang = runs("clang", "--version") && runs("lld", "-flavor", "gnu", "--version");
        List<String> missed = new ArrayList<>();
        List<String> named = List.of((args[3].equals("here") ? thisPlatform() : args[3]).split(","));
        for (String system : List.of("linux", "android")) {
            for (String processor : List.of("x86_64", "aarch64")) {
                String platform = system + "-" + processor;
                boolean here = platform.equals(thisPlatform());
                if (args[3].equals("all") || named.contains(platform)) {
                    if (clang) {
                        build.withClang(system, processor);
                    } else if (here && runs("gcc", "--version")) {
                        build.withGcc(platform);
                    } else {
                        missed.add(platform);
                    }
                }
            }
        }
        if (!missed.isEmpty()) {
            System.out.println("calls of the system's NNAPI: not built for " + missed + " (clang and lld build all)");
        }
    }

    private void withClang(String system, String processor) throws IOException, InterruptedException {
        String platform = system + "-" + processor;
        String target = processor + (system.equals("android") ? "-linux-android26" : "-linux-gnu");
        Path object = objects.resolve(platform + ".o");
        List<String> compile = new ArrayList<>(List.of("clang", "--target=" + target));
        compile.addAll(COMMON);
        compile.addAll(List.of("-c", source.toString(), "-o", object.toString()));
        must(compile);
        List<String> link = new ArrayList<>(LINK);
        if (system.equals("android")) {
            link.addAll(List.of("--no-undefined", dynamicLinker(target, platform).toString()));
        }
        link.addAll(List.of(object.toString(), "-o", target(platform).toString()));
        must(link);
    }

    /** What stands in for Android's own libdl while linking: the names that are called. */
    private Path dynamicLinker(String target, String platform) throws IOException, InterruptedException {
        Path stub = objects.resolve(platform + "-dl.c");
        Files.writeString(stub, "void dlopen(void) {}\nvoid dlsym(void) {}\nvoid dlerror(void) {}\n");
        Path object = objects.resolve(platform + "-dl.o");
        must(List.of("clang", "--target=" + target, "-ffreestanding", "-fno-builtin", "-fPIC", "-c", stub.toString(), "-o", object.toString()));
        Path library = Files.createDirectories(objects.resolve(platform)).resolve("libdl.so");
        must(List.of("lld", "-flavor", "gnu", "-shared", "-soname", "libdl.so", object.toString(), "-o", library.toString()));
        return library;
    }

    private void withGcc(String platform) throws IOException, InterruptedException {
        List<String> compile = new ArrayList<>(List.of("gcc"));
        compile.addAll(COMMON);
        compile.addAll(List.of("-shared", "-nostdlib", "-s", source.toString(), "-o", target(platform).toString()));
        must(compile);
    }

    private Path target(String platform) throws IOException {
        return Files.createDirectories(classes.resolve(platform)).resolve(LIBRARY);
    }

    private static void must(List<String> command) throws IOException, InterruptedException {
        if (!runs(command.toArray(String[]::new))) {
            throw new IllegalStateException("calls of the system's NNAPI: see the messages above");
        }
    }

    private static boolean runs(String... command) throws IOException, InterruptedException {
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

    private static String thisPlatform() {
        String system = System.getProperty("os.name").toLowerCase(Locale.ROOT);
        return (system.startsWith("linux") ? "linux" : system) + "-" + (System.getProperty("os.arch").equals("aarch64") ? "aarch64" : "x86_64");
    }
}
