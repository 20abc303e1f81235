import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.classfile.Attributes;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassHierarchyResolver;
import java.lang.classfile.ClassModel;
import java.lang.classfile.ClassTransform;
import java.lang.classfile.attribute.NestMembersAttribute;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.constantpool.PoolEntry;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.module.ModuleFinder;
import java.lang.module.ModuleReader;
import java.lang.module.ModuleReference;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * Makes of compiled classes what the compiler left to the virtual machine to make when it first comes by, which takes a
 * millisecond each where nothing is compiled yet: {@code java LinkAhead.java FOLDER CLASSPATH}.
 *
 * <p>Lambdas get classes, one for all that a class makes of one interface, and records the code of {@code equals} and
 * {@code hashCode}. Functions of numbers alone stay as they are: they may be called for every element of a tensor,
 * where the virtual machine inlines what has a class of its own.
 */
final class LinkAhead {
    private final Path folder;
    private final ClassFile format;

    private LinkAhead(Path folder, ClassFile format) {
        this.folder = folder;
        this.format = format;
    }

    public static void main(String[] args) throws IOException {
        try (URLClassLoader classes = new URLClassLoader(urls(args[1]))) {
            ClassHierarchyResolver hierarchy = ClassHierarchyResolver.ofResourceParsing(
                            type -> classes.getResourceAsStream(path(type)))
                    .orElse(ClassHierarchyResolver.ofResourceParsing(LinkAhead::ofSystem))
                    .cached();
            new LinkAhead(
                            Path.of(args[0]),
                            ClassFile.of(
                                    ClassFile.ConstantPoolSharingOption.NEW_POOL,
                                    ClassFile.ClassHierarchyResolverOption.of(hierarchy)))
                    .run();
        }
    }

    private static URL[] urls(String classpath) throws MalformedURLException {
        List<URL> urls = new ArrayList<>();
        for (String entry : classpath.split(File.pathSeparator)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        return urls.toArray(new URL[0]);
    }

    /** A class of the platform, of modules too that are not there unless asked for. */
    private static InputStream ofSystem(ClassDesc type) {
        for (ModuleReference module : ModuleFinder.ofSystem().findAll()) {
            if (module.descriptor().packages().contains(type.packageName())) {
                try (ModuleReader reader = module.open()) {
                    return reader.open(path(type)).orElse(null);
                } catch (IOException failure) {
                    throw new UncheckedIOException(failure);
                }
            }
        }
        return null;
    }

    private static String path(ClassDesc type) {
        String descriptor = type.descriptorString();
        return descriptor.substring(1, descriptor.length() - 1) + ".class";
    }

    private void run() throws IOException {
        for (ClassModel model : models()) {
            link(model);
        }
        removeLeftovers();
        Map<String, List<ClassDesc>> nests = new TreeMap<>();
        for (ClassModel model : models()) {
            model.findAttribute(Attributes.nestHost())
                    .ifPresent(attribute -> nests.computeIfAbsent(
                                    path(attribute.nestHost().asSymbol()), host -> new ArrayList<>())
                            .add(model.thisClass().asSymbol()));
        }
        for (Map.Entry<String, List<ClassDesc>> nest : nests.entrySet()) {
            join(folder.resolve(nest.getKey()), nest.getValue());
        }
    }

    /** Classes of lambdas from a build before whose owner is not there any more, or has no such lambda now. */
    private void removeLeftovers() throws IOException {
        for (Path file : files()) {
            String name = file.getFileName().toString();
            int end = name.indexOf(MergedClass.SEPARATOR);
            if (end > 0
                    && !names(
                            file.resolveSibling(name.substring(0, end) + ".class"),
                            format.parse(file).thisClass().asInternalName())) {
                Files.delete(file);
            }
        }
    }

    /** Whether the class in a file, if there is one, mentions another. */
    private boolean names(Path owner, String type) throws IOException {
        if (Files.notExists(owner)) {
            return false;
        }
        for (PoolEntry entry : format.parse(owner).constantPool()) {
            if (entry instanceof ClassEntry other && other.asInternalName().equals(type)) {
                return true;
            }
        }
        return false;
    }

    private List<ClassModel> models() throws IOException {
        List<ClassModel> models = new ArrayList<>();
        for (Path file : files()) {
            models.add(format.parse(file));
        }
        return models;
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(path -> path.toString().endsWith(".class"))
                    .sorted()
                    .toList();
        }
    }

    private void link(ClassModel owner) throws IOException {
        Map<ClassDesc, MergedClass> merged = new LinkedHashMap<>();
        owner.methods()
                .forEach(method -> method.code()
                        .ifPresent(code -> code.forEach(element -> lambda(element)
                                .ifPresent(lambda -> merged.computeIfAbsent(
                                                lambda.type(), type -> new MergedClass(owner, type))
                                        .add(lambda)))));
        if (merged.isEmpty()
                && owner.methods().stream()
                        .allMatch(method -> RecordMethods.of(method).isEmpty())) {
            return;
        }
        ClassTransform records = (builder, element) -> RecordMethods.of(element)
                .ifPresentOrElse(methods -> methods.write(builder), () -> builder.with(element));
        write(
                owner.thisClass().asSymbol(),
                format.transformClass(
                        owner,
                        records.andThen(ClassTransform.transformingMethodBodies((code, element) -> lambda(element)
                                .ifPresentOrElse(
                                        lambda -> merged.get(lambda.type()).load(code, lambda),
                                        () -> code.with(element))))));
        for (MergedClass type : merged.values()) {
            write(type.name(), type.bytes(format));
        }
    }

    private static Optional<Lambda> lambda(Object element) {
        return element instanceof InvokeDynamicInstruction site ? Lambda.of(site) : Optional.empty();
    }

    /** Tells the host of a nest who is in it. */
    private void join(Path file, List<ClassDesc> members) throws IOException {
        ClassModel host = format.parse(file);
        List<ClassDesc> known = host
                .findAttribute(Attributes.nestMembers())
                .map(NestMembersAttribute::nestMembers)
                .orElse(List.of())
                .stream()
                .map(ClassEntry::asSymbol)
                .toList();
        if (known.containsAll(members)) {
            return;
        }
        ClassTransform others = ClassTransform.dropping(NestMembersAttribute.class::isInstance);
        write(
                host.thisClass().asSymbol(),
                ClassFile.of()
                        .transformClass(
                                host,
                                others.andThen(ClassTransform.endHandler(
                                        builder -> builder.with(NestMembersAttribute.ofSymbols(members))))));
    }

    private void write(ClassDesc type, byte[] bytes) throws IOException {
        Files.write(folder.resolve(path(type)), bytes);
    }
}
