package org.torchnnapi.cli;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.ArchConfiguration;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Who may know whom: the rooms of docs/ARCHITECTURE.md, each with the rooms below it that it may use. */
class HouseTest {
    /** A room, and after the colon those that its classes may use beside their own. */
    private static final String ROOMS = """
            tensor:
            kernels: tensor
            program: kernels tensor
            nnapi: tensor
            driver.cpu: kernels nnapi program tensor
            driver.android: nnapi tensor
            c: driver.cpu nnapi tensor
            torchscript: tensor
            operators: kernels tensor torchscript
            execution: kernels operators program tensor torchscript
            exported: execution operators tensor torchscript
            engine: execution kernels nnapi tensor torchscript
            optimizer: execution operators tensor torchscript
            quantizer: execution operators optimizer tensor torchscript
            converter: engine execution nnapi operators tensor torchscript
            differ: converter engine execution nnapi operators tensor torchscript
            page: converter differ engine execution nnapi operators tensor torchscript
            tflite: converter nnapi
            testkit: converter engine execution exported nnapi operators optimizer quantizer tensor torchscript
            """;

    private static JavaClasses classes;

    @BeforeAll
    static void read() throws IOException {
        // What the JDK's classes are does not matter here.
        ArchConfiguration.get().setResolveMissingDependenciesFromClassPath(false);
        try (Stream<Path> modules = Files.list(Path.of(".."))) {
            classes = new ClassFileImporter()
                    .importPaths(modules.map(module -> module.resolve("target/classes"))
                            .filter(Files::isDirectory)
                            .toList());
        }
        assertTrue(classes.size() > 2000, "classes: " + classes.size());
    }

    @TestFactory
    List<DynamicTest> roomsUseThoseBelowThem() {
        Map<String, List<String>> rooms = new LinkedHashMap<>();
        ROOMS.lines().forEach(line -> {
            String[] parts = line.split(":");
            rooms.put(
                    parts[0],
                    parts.length < 2 ? List.of() : Arrays.asList(parts[1].trim().split(" ")));
        });
        return rooms.entrySet().stream()
                .map(room -> DynamicTest.dynamicTest(room.getKey(), () -> {
                    String[] others = rooms.keySet().stream()
                            .filter(other -> !other.equals(room.getKey())
                                    && !room.getValue().contains(other))
                            .map(HouseTest::packages)
                            .toArray(String[]::new);
                    noClasses()
                            .that()
                            .resideInAPackage(packages(room.getKey()))
                            .should()
                            .dependOnClassesThat()
                            .resideInAnyPackage(others)
                            .check(classes);
                }))
                .toList();
    }

    /** Devices are found by {@code ServiceLoader}: only the C door, which is linked without services, names one. */
    @Test
    void nothingNamesADriver() {
        noClasses()
                .that()
                .resideOutsideOfPackages(packages("driver"), packages("c"))
                .should()
                .dependOnClassesThat()
                .resideInAPackage(packages("driver"))
                .check(classes);
    }

    /** What computes what a kernel must give shares no code with it. */
    @Test
    void theReferenceKnowsNoKernel() {
        noClasses()
                .that()
                .resideInAPackage(packages("nnapi.op"))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(packages("kernels"), packages("program"))
                .check(classes);
    }

    private static String packages(String room) {
        return "org.torchnnapi." + room + "..";
    }
}
