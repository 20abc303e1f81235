package org.torchnnapi.phone;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SizeLimitsTest {
    private static final String TEXT = "int answer(void) { return 42; }\n";

    @TempDir
    private Path folder;

    private record Answer(int code, String text) {}

    private static Answer answer(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Answer(process.waitFor(), text);
    }

    private Answer check(String limits) throws IOException, InterruptedException {
        Path file = Files.writeString(folder.resolve("sizes.txt"), limits);
        return answer(List.of(
                System.getProperty("java.home") + "/bin/java", "src/build/java/SizeLimits.java", file.toString()));
    }

    /** A library's end as compilers leave it, 40 bytes and more. */
    private void write(String name, String comment) throws IOException {
        Files.write(
                folder.resolve(name),
                ("\177ELF" + "x".repeat(40) + comment + "\0").getBytes(StandardCharsets.ISO_8859_1));
    }

    @Test
    void whatClangMadeIsHeldAndGccsIsTold() throws IOException, InterruptedException {
        write("clang.so", "Linker: LLD 14.0.6\0Debian clang version 14.0.6");
        write("gcc.so", "GCC: (Debian 12.2.0-14) 12.2.0");
        Answer both = check("clang.so 20\ngcc.so 20\n");
        assertEquals(1, both.code, both.text);
        assertTrue(
                both.text.contains("clang.so: " + Files.size(folder.resolve("clang.so"))
                        + " bytes (expected: at most 20, see sizes.txt)"),
                both.text);
        assertTrue(
                both.text.contains("gcc.so: 0 KB (compiled by gcc; by clang at most 0)")
                        && !both.text.contains("gcc.so: " + Files.size(folder.resolve("gcc.so"))),
                both.text);
        assertEquals(0, check("# as a release\nclang.so 2000\ngcc.so 20\nlibrary 1\n").code);
        write("unknown.so", "");
        assertEquals(1, check("unknown.so 20\n").code, "whose compiler is not told is held");
    }

    /** The marks above are those that compilers leave. */
    @Test
    void compilersLeaveTheirMarks() throws IOException, InterruptedException {
        Path source = Files.writeString(folder.resolve("answer.c"), TEXT);
        for (String compiler : List.of("gcc", "clang")) {
            try {
                answer(List.of(compiler, "--version"));
            } catch (IOException notInstalled) {
                continue;
            }
            Answer compiled = answer(List.of(
                    compiler,
                    "-shared",
                    "-nostdlib",
                    "-fPIC",
                    "-s",
                    source.toString(),
                    "-o",
                    folder.resolve("answer.so").toString()));
            assertEquals(0, compiled.code, compiled.text);
            Answer checked = check("answer.so 20\n");
            // What macOS calls gcc is clang.
            boolean clang =
                    compiler.equals("clang") || System.getProperty("os.name").startsWith("Mac");
            assertEquals(clang ? 1 : 0, checked.code, compiler + ": " + checked.text);
        }
    }
}
