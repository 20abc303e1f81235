import static java.lang.classfile.ClassFile.JAVA_8_VERSION;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassFile.ClassHierarchyResolverOption;
import java.lang.classfile.ClassFile.StackMapsOption;
import java.lang.classfile.ClassFileVersion;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.CodeTransform;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Enumeration;
import java.util.HashMap;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;

/**
 * Gives the old classes of a jar the format of Java 8, with stack maps: {@code java RaiseClassFiles.java JAR}. The
 * virtual machine keeps no classes in its ahead-of-time cache that are older than Java 6, and a command line parser of
 * such classes takes half of a start.
 */
final class RaiseClassFiles {
    private RaiseClassFiles() {}

    public static void main(String[] args) throws IOException {
        Path jar = Path.of(args[0]);
        Path raised = Path.of(args[0] + ".raised");
        try (ZipFile in = new ZipFile(jar.toFile());
                ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(raised))) {
            Map<String, byte[]> classes = classes(in);
            // A supertype that is not in the jar is the platform's.
            ClassHierarchyResolver hierarchy = ClassHierarchyResolver.ofResourceParsing(type -> {
                        String descriptor = type.descriptorString();
                        byte[] bytes = classes.get(descriptor.substring(1, descriptor.length() - 1));
                        return bytes == null ? null : new ByteArrayInputStream(bytes);
                    })
                    .orElse(ClassHierarchyResolver.defaultResolver());
            ClassFile format =
                    ClassFile.of(StackMapsOption.GENERATE_STACK_MAPS, ClassHierarchyResolverOption.of(hierarchy));
            for (Enumeration<? extends ZipEntry> entries = in.entries(); entries.hasMoreElements(); ) {
                ZipEntry entry = entries.nextElement();
                out.putNextEntry(new ZipEntry(entry.getName()));
                byte[] old = classes.get(entry.getName().replaceFirst("\\.class$", ""));
                if (old == null) {
                    try (InputStream bytes = in.getInputStream(entry)) {
                        bytes.transferTo(out);
                    }
                } else {
                    out.write(raised(format, old));
                }
                out.closeEntry();
            }
        }
        Files.move(raised, jar, StandardCopyOption.REPLACE_EXISTING);
    }

    /** By name, such as {@code java/lang/Object}; without those for particular releases, which are new enough. */
    private static Map<String, byte[]> classes(ZipFile jar) throws IOException {
        Map<String, byte[]> classes = new HashMap<>();
        for (Enumeration<? extends ZipEntry> entries = jar.entries(); entries.hasMoreElements(); ) {
            ZipEntry entry = entries.nextElement();
            if (entry.getName().endsWith(".class") && !entry.getName().startsWith("META-INF/")) {
                try (InputStream bytes = jar.getInputStream(entry)) {
                    classes.put(entry.getName().replaceFirst("\\.class$", ""), bytes.readAllBytes());
                }
            }
        }
        return classes;
    }

    private static byte[] raised(ClassFile format, byte[] old) {
        ClassModel model = format.parse(old);
        if (model.majorVersion() >= JAVA_8_VERSION) {
            return old;
        }
        ClassTransform version = (builder, element) -> {
            if (element instanceof ClassFileVersion) {
                builder.withVersion(JAVA_8_VERSION, 0);
            } else {
                builder.with(element);
            }
        };
        return format.transformClass(
                model, version.andThen(ClassTransform.transformingMethodBodies(CodeTransform.ACCEPT_ALL)));
    }
}
