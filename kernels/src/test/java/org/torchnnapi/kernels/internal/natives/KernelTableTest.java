package org.torchnnapi.kernels.internal.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * What Java has beside what is written from the table: enumerations, whose constants cross to C as numbers, and names.
 */
class KernelTableTest {
    private static final Path TABLE = Path.of("src/main/c/kernels.table");
    private static final Pattern ENUMERATION = Pattern.compile("(?ms)^enum \\w+ = ([\\w.]+) \\{\n(.*?)^\\}");

    private static final Pattern OTHER = Pattern.compile("(?m)^(?:work|pack|layer|number|rounds) (\\w+)");
    private static final Pattern LOOKED_UP =
            Pattern.compile("(?:[fF]unction|[nN]umber|FloatWork|FloatPacking)\\(\\s*\"(\\w+)\"\\)");

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

    /** Some are of processors that this one is not. */
    @Test
    void functionsOfOtherSignaturesAreThoseThatJavaLooksUp() throws IOException {
        Set<String> inTable = new TreeSet<>();
        OTHER.matcher(Files.readString(TABLE)).results().forEach(row -> inTable.add(row.group(1)));
        Set<String> inJava = new TreeSet<>();
        try (Stream<Path> files = Files.list(Path.of("src/main/java/org/torchnnapi/kernels/internal/natives"))) {
            for (Path file : files.toList()) {
                LOOKED_UP.matcher(Files.readString(file)).results().forEach(name -> inJava.add(name.group(1)));
            }
        }
        assertEquals(inTable, inJava);
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
