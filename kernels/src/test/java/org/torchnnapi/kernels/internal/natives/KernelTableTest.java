package org.torchnnapi.kernels.internal.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Constants of Java cross to C as their numbers: both sides must have the same in the same order. */
class KernelTableTest {
    private static final Path TABLE = Path.of("src/main/c/kernels.table");
    private static final Pattern ENUMERATION = Pattern.compile("(?ms)^enum \\w+ = ([\\w.]+) \\{\n(.*?)^\\}");

    @Test
    void enumerationsHaveTheConstantsOfJava() throws IOException, ClassNotFoundException {
        Matcher m = ENUMERATION.matcher(Files.readString(TABLE));
        int count = 0;
        for (; m.find(); count++) {
            List<String> constants = Arrays.stream(m.group(2).split("\n"))
                    .flatMap(line -> Arrays.stream(line.replaceAll("//.*", "").split(",")))
                    .map(String::strip)
                    .toList();
            List<String> ofJava = Arrays.stream(classNamed(m.group(1)).getEnumConstants())
                    .map(constant -> ((Enum<?>) constant).name())
                    .toList();
            assertEquals(ofJava, constants, m.group(1));
        }
        assertTrue(count > 0, "the table has enumerations of Java");
    }

    /** A class within another has a dot there too. */
    private static Class<?> classNamed(String name) throws ClassNotFoundException {
        try {
            return Class.forName(name);
        } catch (ClassNotFoundException e) {
            int dot = name.lastIndexOf('.');
            return Class.forName(name.substring(0, dot) + "$" + name.substring(dot + 1));
        }
    }
}
