package org.torchnnapi.testkit.torch;

import com.fasterxml.jackson.databind.JsonNode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptException;

/** Executes the recorded runs of a case on a module and compares what comes out. */
final class Runs {
    private Runs() {}

    /** What is wrong with the runs of a case, one after the other on one instance, or null. */
    static String checkAll(ScriptModule module, TorchCase test) {
        return checkAll(module, test, ResultComparison.of(test.description().path("tolerance")));
    }

    static String checkAll(ScriptModule module, TorchCase test, ResultComparison comparison) {
        String wrong = null;
        for (int i = 0; wrong == null && i < test.runs().size(); i++) {
            wrong = check(module, test.runs().get(i), test.folder(), i, comparison);
        }
        return wrong;
    }

    /** What is wrong with one run, or null. */
    static String check(ScriptModule module, JsonNode run, Path folder, int index, ResultComparison comparison) {
        String name = run.path("method").asText("forward");
        Function method = module.method(name);
        if (method == null) {
            return "run " + index + ": method " + name + " is missing";
        }
        List<Object> arguments = arguments(method, run, folder);
        Map<String, Object> keywords = new LinkedHashMap<>();
        run.path("kwargs")
                .properties()
                .forEach(entry -> keywords.put(
                        entry.getKey(),
                        CaseValues.value(
                                entry.getValue(),
                                folder,
                                argumentType(method, method.schema().indexOf(entry.getKey())))));
        JsonNode raises = run.path("raises");
        Object output;
        try {
            output = module.call(name, arguments, keywords);
        } catch (ScriptException e) {
            if (raises.isMissingNode()) {
                throw e;
            }
            String message = raises.path("message").asText();
            return raised(raises.path("type").asText(), message, e.getMessage())
                    ? null
                    : "run " + index + ": expected exception \"" + message + "\", actual \"" + e.getMessage() + "\"";
        }
        if (!raises.isMissingNode()) {
            return "run " + index + ": expected exception \""
                    + raises.path("message").asText() + "\", actual no exception";
        }
        String wrong = comparison.compare(run.path("output"), output, folder, "run " + index + " output");
        for (int i = 0; wrong == null && i < run.path("inputs_after").size(); i++) {
            wrong = comparison.compare(
                    run.path("inputs_after").get(i),
                    arguments.get(i),
                    folder,
                    "run " + index + " input " + i + " afterwards");
        }
        return wrong;
    }

    /** The arguments of a run by position, of the types that the method declares. */
    static List<Object> arguments(Function method, JsonNode run, Path folder) {
        List<Object> arguments = new ArrayList<>();
        for (JsonNode input : run.path("inputs")) {
            arguments.add(CaseValues.value(input, folder, argumentType(method, arguments.size() + 1)));
        }
        return arguments;
    }

    /**
     * Of what the model's code raises, the whole text; of what fails in an operator, PyTorch's text among ours, which
     * also say where.
     */
    static boolean raised(String type, String expected, String actual) {
        String own = expected.startsWith(type + ": ") ? expected.substring(type.length() + 2) : expected;
        return expected.equals(actual)
                || !type.equals("Error") && String.valueOf(actual).contains(own);
    }

    private static Type argumentType(Function method, int index) {
        List<FunctionSchema.Argument> arguments = method.schema().arguments();
        return index >= 0 && index < arguments.size() ? arguments.get(index).type() : null;
    }
}
