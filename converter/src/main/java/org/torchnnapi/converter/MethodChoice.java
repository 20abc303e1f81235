package org.torchnnapi.converter;

import java.util.List;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;

/** Which method of a module is converted, and whether there are others that callers know. */
final class MethodChoice {
    static final String FORWARD = "forward";
    /** Methods that hold and run on a module's bundled inputs have this in their names. */
    private static final String BUNDLED = "bundled_input";

    private MethodChoice() {}

    /** @throws IllegalArgumentException if the module lacks the method, or nothing says which of several is meant */
    static String of(ScriptModule module, ConversionOptions options) {
        List<String> names = module.object().type().methods().stream()
                .map(Function::name)
                .filter(MethodChoice::isPublic)
                .collect(Streams.toList());
        String wanted = options.method() != null
                ? options.method()
                : module.method(FORWARD) == null && names.size() == 1 ? names.get(0) : FORWARD;
        if (module.method(wanted) == null) {
            throw new IllegalArgumentException("method: none called " + wanted + " (expected: "
                    + (names.isEmpty() ? "a module with one" : String.join(" or ", names)) + ")");
        }
        return wanted;
    }

    private static boolean isPublic(String name) {
        return !name.startsWith("_") && !isOfBundledInputs(name);
    }

    /** The method of a class that makes the inputs bundled for another one, null if none does. */
    static Function bundledInputs(ClassType type, String method) {
        for (String name : List.of(
                "_generate_bundled_inputs_for_" + method,
                "get_all_bundled_inputs_for_" + method,
                "get_all_bundled_inputs")) {
            if (type.method(name) != null) {
                return type.method(name);
            }
        }
        return null;
    }

    /** Whether a method gives inputs that were bundled with the model, or runs it on them. */
    static boolean isOfBundledInputs(String name) {
        return name.contains(BUNDLED);
    }
}
