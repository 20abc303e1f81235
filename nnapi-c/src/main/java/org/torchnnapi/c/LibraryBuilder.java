package org.torchnnapi.c;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.lang.module.FindException;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReference;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;

/**
 * Makes the library of the C interface: compiles its sources, which lie beside this class, with the C compiler of this
 * machine and puts the jars that it runs beside it.
 */
public final class LibraryBuilder {
    /** What the library is called, in the folder and by the linker. */
    public static final String LIBRARY = "libneuralnetworks.so";
    /** Where a program that is compiled against the library finds its header. */
    public static final String HEADER = "include/NeuralNetworks.h";

    private static final String JARS = "torch-nnapi";
    private static final List<String> SOURCES = List.of(
            "compilation.c",
            "devices.c",
            "event.c",
            "execution.c",
            "find.c",
            "hardware_buffer.c",
            "jvm.c",
            "memory.c",
            "model.c",
            "native.c",
            "values.c");
    private static final List<String> OTHERS =
            List.of("devices.h", "exports.map", "find.h", "hardware_buffer.h", "jvm.h", "values.h", HEADER);
    /**
     * What the library runs, with all that these need; other drivers stay out, above all one that would load the
     * library again.
     */
    private static final List<String> ROOTS = List.of("org.torchnnapi.c", "org.torchnnapi.driver.cpu");

    private LibraryBuilder() {}

    /**
     * Builds the library in a folder, which is made where it is missing; a library that is there is replaced once the
     * new one is whole.
     *
     * @return the library's file
     * @throws IOException if a file cannot be written, or, with all that is missing in one line, the machine cannot
     *     build it
     */
    public static Path build(Path folder) throws IOException {
        if (!System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("linux")) {
            throw new IOException("system: " + System.getProperty("os.name") + " (expected: Linux)");
        }
        Path headers = Path.of(System.getProperty("java.home"), "include");
        if (!Files.exists(headers.resolve("jni.h"))) {
            throw new IOException("Java in " + headers.getParent() + ": no include/jni.h (expected: a whole JDK)");
        }
        String compiler = findCompiler();
        Map<String, Path> modules = findModules();
        Files.createDirectories(folder);
        Path work = Files.createTempDirectory(folder, ".build");
        try {
            Path library = compile(work, compiler, headers);
            Path jars = Files.createDirectories(folder.resolve(JARS));
            List<Path> kept = new ArrayList<>();
            for (Map.Entry<String, Path> module : modules.entrySet()) {
                Path jar = work.resolve(module.getKey() + ".jar");
                copyJar(module.getValue(), jar);
                kept.add(replace(jar, jars.resolve(jar.getFileName())));
            }
            Path home = Files.writeString(work.resolve("java-home"), System.getProperty("java.home") + "\n");
            kept.add(replace(home, jars.resolve("java-home")));
            removeOthers(jars, kept);
            replace(work.resolve(HEADER), folder.resolve(HEADER));
            return replace(library, folder.resolve(LIBRARY));
        } finally {
            delete(work);
        }
    }

    private static String findCompiler() throws IOException {
        String wished = System.getenv("CC");
        for (String name : wished != null && !wished.isBlank() ? List.of(wished) : List.of("cc", "gcc", "clang")) {
            if (runs(List.of(name, "--version"), Path.of(".")) == null) {
                return name;
            }
        }
        throw new IOException("C compiler: "
                + (wished != null && !wished.isBlank()
                        ? wished + ", as CC says, does not run"
                        : "neither cc, gcc nor clang runs")
                + " (expected: one of them; install gcc or clang, or set CC)");
    }

    private static Path compile(Path work, String compiler, Path headers) throws IOException {
        for (String name : Stream.concat(SOURCES.stream(), OTHERS.stream()).toList()) {
            Path file = work.resolve(name);
            Files.createDirectories(file.getParent());
            try (InputStream in = LibraryBuilder.class.getResourceAsStream("source/" + name)) {
                Files.copy(in, file);
            }
        }
        List<String> command = new ArrayList<>(List.of(
                compiler,
                "-shared",
                "-fPIC",
                "-O2",
                "-std=gnu11",
                "-Wall",
                "-Wextra",
                "-pthread",
                "-I" + headers,
                "-I" + headers.resolve("linux"),
                "-Wl,-soname," + LIBRARY,
                "-Wl,-z,nodelete",
                "-Wl,--no-undefined",
                "-Wl,--version-script=exports.map",
                "-o",
                LIBRARY));
        command.addAll(SOURCES);
        command.add("-ldl");
        String problem = runs(command, work);
        if (problem != null) {
            throw new IOException("C compiler: " + String.join(" ", command) + "\n" + problem);
        }
        return work.resolve(LIBRARY);
    }

    /** Null if a command did well, else what it said. */
    private static String runs(List<String> command, Path folder) {
        try {
            Process process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .start();
            String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            return process.waitFor() == 0 ? null : output;
        } catch (IOException e) {
            return e.getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    /** The modules the library runs, by name, among those of this program: jars, or folders of classes. */
    private static Map<String, Path> findModules() throws IOException {
        List<Path> entries = new ArrayList<>();
        for (String property : List.of("jdk.module.path", "java.class.path")) {
            for (String entry : System.getProperty(property, "").split(File.pathSeparator)) {
                if (!entry.isEmpty() && Files.exists(Path.of(entry))) {
                    entries.add(Path.of(entry));
                }
            }
        }
        Map<String, ModuleReference> found = new LinkedHashMap<>();
        for (Path entry : entries) {
            try {
                ModuleFinder.of(entry)
                        .findAll()
                        .forEach(module -> found.putIfAbsent(module.descriptor().name(), module));
            } catch (FindException notAModule) {
                // What is no module is nothing that the library runs.
            }
        }
        Map<String, Path> needed = new LinkedHashMap<>();
        List<String> names = new ArrayList<>(ROOTS);
        while (!names.isEmpty()) {
            String name = names.remove(0);
            ModuleReference module = found.get(name);
            if (module == null) {
                throw new IOException("module " + name + ": not among those of this program (expected: a whole build)");
            }
            if (needed.put(name, Path.of(module.location().orElseThrow())) == null) {
                module.descriptor().requires().stream()
                        .map(ModuleDescriptor.Requires::name)
                        .filter(n -> n.startsWith("org.torchnnapi."))
                        .forEach(names::add);
            }
        }
        return needed;
    }

    private static void copyJar(Path module, Path jar) throws IOException {
        if (!Files.isDirectory(module)) {
            Files.copy(module, jar);
            return;
        }
        try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                Stream<Path> files = Files.walk(module)) {
            out.setLevel(0);
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                out.putNextEntry(new JarEntry(module.relativize(file).toString()));
                Files.copy(file, out);
                out.closeEntry();
            }
        }
    }

    private static Path replace(Path file, Path place) throws IOException {
        Files.createDirectories(place.getParent());
        return Files.move(file, place, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Jars of an earlier build, which the library would run as well. */
    private static void removeOthers(Path jars, List<Path> kept) throws IOException {
        try (Stream<Path> files = Files.list(jars)) {
            for (Path file : files.filter(file -> file.toString().endsWith(".jar") && !kept.contains(file))
                    .toList()) {
                Files.delete(file);
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
