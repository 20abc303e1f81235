package org.torchnnapi.torchscript.source;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Type;

/** Class statements to types. */
final class ClassBuilder {
    private ClassBuilder() {}

    /** Adds attributes, constants and methods to a declared class. */
    static void fill(CodeLoader loader, String entry, ClassType type, Tree.ClassTree tree) {
        if (tree.header().attributes() == null) {
            attributes(loader, entry, type, tree);
        } else {
            tree.header().attributes().forEach(type::addAttribute);
        }
        type.hooks(names(entry, tree, "__forward_pre_hooks__"), names(entry, tree, "__forward_hooks__"));
        for (Tree.Definition method : tree.methods()) {
            type.addMethod(LazyFunction.method(loader, method, type));
        }
    }

    private static void attributes(CodeLoader loader, String entry, ClassType type, Tree.ClassTree tree) {
        Set<String> parameters = new HashSet<>(names(entry, tree, "__parameters__"));
        Set<String> buffers = new HashSet<>(names(entry, tree, "__buffers__"));
        for (Tree.Member member : tree.members()) {
            if (member.type() != null) {
                Type declared = EarlyPackedParams.type(
                        loader, type.name(), member.name(), TypeReader.type(loader, member.type()));
                if (member.value() != null) {
                    type.constants().put(member.name(), ConstantReader.value(loader, entry, member.value(), declared));
                } else {
                    type.addAttribute(new ClassType.Attribute(
                            member.name(),
                            declared,
                            parameters.contains(member.name()),
                            buffers.contains(member.name())));
                }
            }
        }
        if (type.constants().isEmpty()) {
            tree.header().attributes(List.copyOf(type.attributes()));
        }
    }

    private static List<String> names(String entry, Tree.ClassTree tree, String list) {
        List<String> names = new ArrayList<>();
        for (Tree.Member member : tree.members()) {
            if (member.name().equals(list) && member.value() != null) {
                if (!(member.value() instanceof Tree.ListDisplay display)) {
                    throw new SourceException(entry, member.at(), list, "a list of names");
                }
                for (Tree.Expression item : display.items()) {
                    if (!(item instanceof Tree.Literal literal) || !(literal.value() instanceof String name)) {
                        throw new SourceException(entry, item.at(), "an expression", "a name in quotes");
                    }
                    names.add(name);
                }
            }
        }
        return names;
    }

    static Type.TupleType namedTuple(
            CodeLoader loader, String entry, String name, Tree.ClassTree tree, Map<String, Object> defaults) {
        List<Type> elements = new ArrayList<>();
        List<String> fields = new ArrayList<>();
        for (Tree.Member member : tree.members()) {
            if (member.type() == null) {
                throw new SourceException(entry, member.at(), member.name(), "a field with its type");
            }
            Type type = TypeReader.type(loader, member.type());
            elements.add(type);
            fields.add(member.name());
            if (member.value() != null) {
                defaults.put(member.name(), ConstantReader.value(loader, entry, member.value(), type));
            }
        }
        return new Type.TupleType(elements, name, fields);
    }

    static Type.EnumType enumType(CodeLoader loader, String entry, String name, Tree.ClassTree tree) {
        List<String> members = new ArrayList<>();
        List<Object> values = new ArrayList<>();
        for (Tree.Member member : tree.members()) {
            Object value = member.value() == null ? null : ConstantReader.value(loader, entry, member.value(), null);
            if (!(value instanceof Long || value instanceof Double || value instanceof String)) {
                throw new SourceException(
                        entry, member.at(), member.name(), "a member with a value of type int, float or str");
            }
            members.add(member.name());
            values.add(value);
        }
        return new Type.EnumType(name, members, values);
    }
}
