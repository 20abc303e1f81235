package org.torchnnapi.benchmarks.kernels;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.constantpool.MemberRefEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Predicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.op.UnaryMathOp;

class KernelCaseTest {
    static List<KernelCase> cases() {
        return KernelCase.all();
    }

    @ParameterizedTest
    @MethodSource("cases")
    void runs(KernelCase one) {
        Runnable run = one.preparation().get();
        run.run();
        run.run();
        assertTrue(one.work() > 0);
    }

    @Test
    void namesAreUnique() {
        Set<String> names = new HashSet<>();
        for (KernelCase one : KernelCase.all()) {
            assertTrue(names.add(one.name()), one.name() + " is the name of several");
        }
        assertEquals("GEMM_128", KernelCase.named("GEMM_128").name());
        assertThrows(IllegalArgumentException.class, () -> KernelCase.named("FLOAT_9X9"));
    }

    /** Every method of a kernel's face that works on arrays. */
    @Test
    void everyKernelIsMeasured() throws Exception {
        Set<String> missing = new TreeSet<>();
        Set<String> called = called();
        for (Class<?> face : publicClasses(Kernels.class)) {
            for (Method method : face.getDeclaredMethods()) {
                if (Modifier.isPublic(method.getModifiers())
                        && method.getReturnType() == void.class
                        && Arrays.stream(method.getParameterTypes())
                                .anyMatch(type ->
                                        type.isArray() && type.componentType().isPrimitive())
                        && !called.contains(face.getName() + "." + method.getName())) {
                    missing.add(face.getSimpleName() + "." + method.getName());
                }
            }
        }
        assertEquals(Set.of(), missing, "kernels without a case that calls them");
    }

    @Test
    void everyOperationOfProgramsIsMeasured() throws Exception {
        Set<String> missing = new TreeSet<>();
        Set<String> called = called();
        for (Class<?> operation : publicClasses(UnaryMathOp.class)) {
            boolean made = called.stream().anyMatch(member -> member.startsWith(operation.getName() + "."));
            if (Op.class.isAssignableFrom(operation) && !operation.isInterface() && !made) {
                missing.add(operation.getSimpleName());
            }
        }
        assertEquals(Set.of(), missing, "operations without a case that uses them");
    }

    /** The public classes of a class' package. */
    private static Set<Class<?>> publicClasses(Class<?> one)
            throws IOException, ClassNotFoundException, URISyntaxException {
        Set<Class<?>> classes = new HashSet<>();
        for (String name : classFiles(one, name -> !name.contains("$"))) {
            Class<?> found = Class.forName(
                    name.substring(0, name.length() - ".class".length()).replace('/', '.'),
                    false,
                    one.getClassLoader());
            if (Modifier.isPublic(found.getModifiers())) {
                classes.add(found);
            }
        }
        return classes;
    }

    private static List<String> classFiles(Class<?> one, Predicate<String> wanted)
            throws IOException, URISyntaxException {
        String folder = one.getPackageName().replace('.', '/') + "/";
        try (ModuleReader reader = reader(one)) {
            return reader.list()
                    .filter(name -> name.startsWith(folder)
                            && name.indexOf('/', folder.length()) < 0
                            && name.endsWith(".class"))
                    .filter(name -> !name.endsWith("package-info.class"))
                    .filter(wanted)
                    .toList();
        }
    }

    private static ModuleReader reader(Class<?> one) throws IOException, URISyntaxException {
        Path place =
                Path.of(one.getProtectionDomain().getCodeSource().getLocation().toURI());
        return ModuleFinder.of(place).findAll().iterator().next().open();
    }

    /** The methods, constructors and fields that the code of the cases names, as {@code class.member}. */
    private static Set<String> called() throws IOException, URISyntaxException {
        Set<String> called = new HashSet<>();
        try (ModuleReader reader = reader(KernelCase.class)) {
            for (String name : classFiles(KernelCase.class, name -> true)) {
                try (InputStream in = reader.open(name).orElseThrow()) {
                    for (PoolEntry entry :
                            ClassFile.of().parse(in.readAllBytes()).constantPool()) {
                        if (entry instanceof MemberRefEntry member) {
                            called.add(member.owner().asInternalName().replace('/', '.') + "."
                                    + member.name().stringValue());
                        }
                    }
                }
            }
        }
        return called;
    }
}
