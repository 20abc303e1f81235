import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

/**
 * Builds the freestanding C kernels, every source once for each instruction set but those that know none, for every
 * platform that the compilers found here can make: {@code java BuildNative.java SOURCES HEADERS OBJECTS CLASSES
 * all|here|PLATFORM,... told|refused}. In HEADERS is what WriteKernels.java writes, with the instruction sets that each
 * source is for. With clang and lld that is Linux, Windows and macOS on x86-64 and arm64, and Linux and Android on Arm
 * of 32 bits, where Android passes floats otherwise; with gcc, this Linux or macOS machine's, which is also all that
 * {@code here} asks for. What cannot be built is told in one line, and the next kernels serve, or it is refused, as for
 * a release. Libraries, and the file {@code version} beside their folders, bear the sources' version. What one compiler
 * made is made again by another: a release is clang's alone.
 */
final class BuildNative {
    private static final List<String> COMMON = List.of(
            "-O3",
            "-std=gnu11",
            "-ffreestanding",
            "-fno-stack-protector",
            "-fno-asynchronous-unwind-tables",
            "-fvisibility=hidden",
            "-ffp-contract=off",
            "-Wall",
            "-Wextra",
            "-Werror");

    /** One instruction set: the name its functions carry, and what the compiler must be told. */
    private record Isa(String name, String... flags) {}

    /**
     * One platform: its folder in the jar, clang's name for it, the library's file and the rest of its link command.
     */
    private record Platform(String folder, String target, String file, String... link) {
        boolean isArm64() {
            return folder.endsWith("aarch64");
        }

        boolean isArm32() {
            return folder.endsWith("arm");
        }

        List<Isa> instructionSets() {
            return isArm64() ? ARM64 : isArm32() ? ARM32 : X86;
        }

        /** Of 32 bits there are kernels for one kind alone, whose instructions what they call may have. */
        Isa anyProcessor() {
            return new Isa("ANY", isArm32() ? ARM32.get(0).flags : new String[0]);
        }
    }

    private static final List<Isa> X86 = List.of(
            new Isa("AVX512VNNI", "-mavx512f", "-mavx512bw", "-mavx512dq", "-mavx512vl", "-mavx512vnni", "-mprfchw"),
            new Isa("AVXVNNI", "-mavx2", "-mfma"),
            new Isa("AVX2", "-mavx2", "-mfma"),
            new Isa("SSE41", "-msse4.1"));
    private static final List<Isa> ARM64 = List.of(
            new Isa("NEON", "-march=armv8-a"),
            new Isa("DOTPROD", "-march=armv8.2-a+dotprod"),
            new Isa("FP16", "-march=armv8.2-a+fp16"),
            new Isa("I8MM", "-march=armv8.2-a+dotprod+i8mm"));
    /** ARMv7 with what came with Cortex-A15 and A7: fused multiply-adds and divisions of integers. */
    private static final List<Isa> ARM32 = List.of(new Isa("NEON", "-march=armv7ve", "-mfpu=neon-vfpv4"));

    /** Phones with pages of 16 KB load what is aligned to them. */
    private static final String[] ELF = {
        "lld",
        "-flavor",
        "gnu",
        "-shared",
        "--no-undefined",
        "--gc-sections",
        "-s",
        "-z",
        "noexecstack",
        "-z",
        "max-page-size=16384"
    };

    private static final String MAC_NAME = "@rpath/libtorchnnapi.dylib";
    private static final List<Platform> PLATFORMS = List.of(
            new Platform("linux-x86_64", "x86_64-linux-gnu", "libtorchnnapi.so", ELF),
            new Platform("linux-aarch64", "aarch64-linux-gnu", "libtorchnnapi.so", ELF),
            new Platform("linux-arm", "arm-linux-gnueabihf", "libtorchnnapi.so", ELF),
            new Platform("android-arm", "armv7a-linux-androideabi26", "libtorchnnapi.so", ELF),
            new Platform("windows-x86_64", "x86_64-pc-windows-msvc", "torchnnapi.dll", coff("x64")),
            new Platform("windows-aarch64", "aarch64-pc-windows-msvc", "torchnnapi.dll", coff("arm64")),
            new Platform("macos-x86_64", "x86_64-apple-macos11", "libtorchnnapi.dylib", machO("x86_64")),
            new Platform("macos-aarch64", "arm64-apple-macos11", "libtorchnnapi.dylib", machO("arm64")));

    /** With a checksum in place of the time, so that two builds are the same. */
    private static String[] coff(String machine) {
        return new String[] {"lld", "-flavor", "link", "/dll", "/noentry", "/Brepro", "/machine:" + machine};
    }

    /** With a name in place of the path that it is written to, so that two builds are the same. */
    private static String[] machO(String arch) {
        return new String[] {
            "lld",
            "-flavor",
            "darwin",
            "-dylib",
            "-arch",
            arch,
            "-platform_version",
            "macos",
            "11.0",
            "11.0",
            "-install_name",
            MAC_NAME
        };
    }

    /** Compiled once, for any processor of the platform. */
    private static final List<String> COMMON_SOURCES =
            List.of("affinity.c", "arm32.c", "features.c", "jni.c", "pages.c", "version.c");

    /** Compiled for every instruction set. */
    private static final String REGISTRY = "functions.c";

    private static final String NO_COMPILER = "none";

    private final Path sources;
    private final Path headers;
    private final Path objects;
    private final Path classes;
    private final List<Platform> wanted;
    private final String version;
    /** The first choice of this machine's. */
    private final String compiler;

    private BuildNative(Path sources, Path headers, Path objects, Path classes, List<Platform> wanted)
            throws IOException, InterruptedException {
        this.sources = sources;
        this.headers = headers;
        this.objects = objects;
        this.classes = classes;
        this.wanted = wanted;
        version = SourcesVersion.of(sources, headers);
        compiler = Toolchain.hasClangAndLld() ? "clang" : Toolchain.hasGcc() ? "gcc" : NO_COMPILER;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        List<String> named = Toolchain.wanted(
                args[4], PLATFORMS.stream().map(Platform::folder).toList());
        List<Platform> wanted = PLATFORMS.stream()
                .filter(platform -> named.contains(platform.folder))
                .toList();
        BuildNative build =
                new BuildNative(Path.of(args[0]), Path.of(args[1]), Path.of(args[2]), Path.of(args[3]), wanted);
        List<String> made = build.current();
        if (made == null || args[5].equals("refused") && !made.containsAll(named)) {
            made = build.build();
            build.note(made);
        }
        List<String> built = made;
        List<String> missed =
                named.stream().filter(name -> !built.contains(name)).toList();
        Toolchain.tellMissed("native kernels", made, missed, "elsewhere the Java kernels serve", args[5]);
    }

    /** Builds what the compilers of this machine can, and returns those platforms. */
    private List<String> build() throws IOException, InterruptedException {
        Files.writeString(Files.createDirectories(classes).resolve("version"), version + "\n");
        List<String> made = new ArrayList<>();
        boolean clang = compiler.equals("clang");
        boolean gcc = compiler.equals("gcc") || clang && Toolchain.hasGcc();
        for (Platform platform : wanted) {
            boolean here = platform.folder.equals(Toolchain.thisPlatform());
            if (clang && withClang(platform) || here && gcc && withGcc(platform)) {
                made.add(platform.folder);
            } else if (here && (clang || gcc)) {
                throw new IllegalStateException(
                        "native kernels: " + platform.folder + " does not build; see the compiler's messages above");
            }
        }
        return made;
    }

    private void note(List<String> made) throws IOException {
        Files.createDirectories(objects);
        Files.writeString(
                objects.resolve("built-platforms"),
                version + " " + compiler + "\n"
                        + String.join(",", wanted.stream().map(Platform::folder).toList()) + "\n"
                        + String.join("\n", made));
    }

    /**
     * What the last build made if it wanted these platforms too and had these sources and this compiler, otherwise
     * null.
     */
    private List<String> current() throws IOException {
        Path stamp = objects.resolve("built-platforms");
        if (!Files.exists(stamp)) {
            return null;
        }
        List<String> lines = Files.readAllLines(stamp);
        boolean same = lines.get(0).equals(version + " " + compiler)
                || compiler.equals(NO_COMPILER) && lines.get(0).startsWith(version + " ");
        if (!same
                || !List.of(lines.get(1).split(","))
                        .containsAll(wanted.stream().map(Platform::folder).toList())
                || !Files.exists(classes.resolve("version"))) {
            return null;
        }
        List<String> made = lines.subList(2, lines.size()).stream()
                .filter(folder -> !folder.isEmpty())
                .toList();
        return made.stream().allMatch(folder -> Files.exists(classes.resolve(folder))) ? made : null;
    }

    private boolean withClang(Platform platform) throws IOException, InterruptedException {
        List<String> files = new ArrayList<>();
        String[] compiler = {"clang", "--target=" + platform.target};
        if (!compileAll(platform, compiler, files)) {
            throw new IllegalStateException("C kernels: clang refuses them for " + platform.folder + ", see above");
        }
        return link(platform, List.of(platform.link), files);
    }

    private boolean withGcc(Platform platform) throws IOException, InterruptedException {
        List<String> files = new ArrayList<>();
        // What macOS calls gcc is its own clang, whose linker knows none of the other's options.
        List<String> linker = platform.folder.startsWith("macos")
                ? List.of("gcc", "-dynamiclib", "-Wl,-dead_strip", "-install_name", MAC_NAME)
                : List.of("gcc", "-shared", "-nostdlib", "-Wl,--no-undefined", "-s");
        return compileAll(platform, new String[] {"gcc"}, files) && link(platform, linker, files);
    }

    private boolean compileAll(Platform platform, String[] compiler, List<String> files)
            throws IOException, InterruptedException {
        List<Callable<Boolean>> jobs = new ArrayList<>();
        for (Map.Entry<String, List<String>> source : kernelSources().entrySet()) {
            for (Isa isa : platform.instructionSets()) {
                if (source.getKey().equals(REGISTRY) || source.getValue().contains(isa.name.toLowerCase(Locale.ROOT))) {
                    jobs.add(job(platform, compiler, source.getKey(), isa, files));
                }
            }
        }
        for (String source : COMMON_SOURCES) {
            jobs.add(job(platform, compiler, source, platform.anyProcessor(), files));
        }
        ExecutorService workers =
                Executors.newFixedThreadPool(Runtime.getRuntime().availableProcessors());
        try {
            boolean compiled = true;
            for (Future<Boolean> result : workers.invokeAll(jobs)) {
                compiled &= result.get();
            }
            return compiled;
        } catch (ExecutionException e) {
            throw new IOException(e.getCause());
        } finally {
            workers.shutdownNow();
        }
    }

    /** The sources and the instruction sets, or levels, that each is for. */
    private Map<String, List<String>> kernelSources() throws IOException {
        Map<String, List<String>> levels = new TreeMap<>();
        for (String line : Files.readAllLines(headers.resolve("sources.txt"))) {
            String[] words = line.split(" ");
            levels.put(words[0], List.of(words).subList(1, words.length));
        }
        levels.put(REGISTRY, List.of());
        try (Stream<Path> entries = Files.list(sources)) {
            List<String> found = entries.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".c") && !COMMON_SOURCES.contains(name))
                    .sorted()
                    .toList();
            if (!found.equals(List.copyOf(levels.keySet()))) {
                throw new IllegalStateException("C kernels: " + found + " are there (expected: " + levels.keySet()
                        + ", which kernels.table names)");
            }
        }
        return levels;
    }

    private Callable<Boolean> job(Platform platform, String[] compiler, String source, Isa isa, List<String> files)
            throws IOException {
        Path folder = Files.createDirectories(objects.resolve(compiler[0]).resolve(platform.folder));
        Path object = folder.resolve(source.replace(".c", "_" + isa.name + ".o"));
        files.add(object.toString());
        return () -> compile(platform, compiler, source, isa, object);
    }

    private boolean compile(Platform platform, String[] compiler, String source, Isa isa, Path object)
            throws IOException, InterruptedException {
        if (!source.equals("version.c") && isNewer(object, source)) {
            return true;
        }
        List<String> command = new ArrayList<>(List.of(compiler));
        command.addAll(COMMON);
        if (!platform.folder.startsWith("windows")) {
            command.add("-fPIC");
        }
        if (platform.isArm64()) {
            // Android keeps something of its own in that register, and takes the file for Linux.
            command.add("-ffixed-x18");
        }
        command.addAll(List.of(isa.flags));
        command.addAll(List.of(
                "-I" + sources,
                "-I" + headers,
                "-DISA_" + isa.name,
                "-DSOURCES_VERSION=0x" + version,
                "-c",
                sources.resolve(source).toString(),
                "-o",
                object.toString()));
        return Toolchain.runs(command);
    }

    /** Whether an object is there and newer than its source and every header. */
    private boolean isNewer(Path object, String source) throws IOException {
        if (!Files.exists(object)) {
            return false;
        }
        FileTime compiled = Files.getLastModifiedTime(object);
        for (Path folder : List.of(sources, headers)) {
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.toList()) {
                    String name = file.getFileName().toString();
                    if ((name.equals(source) || name.endsWith(".h"))
                            && Files.getLastModifiedTime(file).compareTo(compiled) >= 0) {
                        return false;
                    }
                }
            }
        }
        return true;
    }

    private boolean link(Platform platform, List<String> linker, List<String> files)
            throws IOException, InterruptedException {
        Path library = Files.createDirectories(classes.resolve(platform.folder)).resolve(platform.file);
        List<String> command = new ArrayList<>(linker);
        command.addAll(files);
        if (platform.folder.startsWith("windows")) {
            command.addAll(List.of(
                    "/out:" + library,
                    "/implib:"
                            + objects.resolve("clang").resolve(platform.folder).resolve("import.lib")));
        } else {
            command.addAll(List.of("-o", library.toString()));
        }
        return Toolchain.runs(command);
    }
}
