package org.torchnnapi.torchscript.source;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Type;

/** Schemas of functions and methods; {@code self} is a method's first argument. */
final class FunctionSignatures {
    private FunctionSignatures() {}

    /** @param self the class of a method, or null for a function */
    static FunctionSchema of(CodeLoader loader, String entry, String name, Tree.FunctionTree tree, ClassType self) {
        List<FunctionSchema.Argument> arguments = new ArrayList<>();
        Set<String> names = new HashSet<>();
        for (Tree.Parameter parameter : tree.parameters()) {
            boolean isSelf = self != null && arguments.isEmpty();
            Type type;
            if (isSelf) {
                type = self;
            } else if (parameter.type() == null) {
                type = Type.Basic.TENSOR;
            } else {
                type = TypeReader.type(loader, parameter.type());
            }
            if (!names.add(parameter.name())) {
                throw new SourceException(
                        entry, parameter.at(), "parameter " + parameter.name() + " twice", "distinct parameter names");
            }
            boolean hasDefault = parameter.defaultValue() != null;
            Object value = hasDefault ? ConstantReader.value(loader, entry, parameter.defaultValue(), type) : null;
            arguments.add(new FunctionSchema.Argument(parameter.name(), type, false, hasDefault, value, false, null));
        }
        if (self != null && arguments.isEmpty()) {
            throw new SourceException(
                    entry, tree.at(), "method " + tree.name() + " without parameters", "self as first parameter");
        }
        Type result = tree.returns() == null ? Type.Basic.TENSOR : TypeReader.type(loader, tree.returns());
        return new FunctionSchema(name, "", arguments, List.of(FunctionSchema.Argument.of("", result)), false);
    }
}
