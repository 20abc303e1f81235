package org.torchnnapi.converter.emit;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * The outermost module of a file whose original had bundled inputs: forward, and the methods that return the inputs.
 */
final class BundledInputs {
    private static final String PACKAGE = "__torch__";
    private static final String NAME = PACKAGE + ".BundleWrapper";

    private BundledInputs() {}

    /**
     * Adds the source and returns the outer module.
     *
     * @param inputs at least one list of arguments, all of one length
     */
    static PickledObject around(
            PickledObject inner, LoweredModel model, List<List<Tensor>> inputs, Map<String, String> sources) {
        int arity = inputs.get(0).size();
        String entry = "Tuple[" + String.join(", ", Collections.nCopies(arity, "Tensor")) + "]";
        String type = "List[" + entry + "]";
        sources.put(ModuleSources.record(PACKAGE), source(inner.className(), model, inputs.size(), arity, type));
        List<Object> items = new ArrayList<>();
        inputs.forEach(arguments -> items.add(new ScriptTuple(arguments, null)));
        return new PickledObject(
                NAME,
                ModuleTree.module()
                        .put("mod", inner)
                        .put("_bundled_inputs_deflated_forward", new PickledList(type, items)));
    }

    private static String source(String innerName, LoweredModel model, int count, int arity, String type) {
        StringBuilder out = new StringBuilder(ModuleSources.classHead("BundleWrapper", "Optional[bool]"))
                .append("  mod : ")
                .append(innerName)
                .append("\n  _bundled_inputs_deflated_forward : ")
                .append(type)
                .append('\n')
                .append("  def forward(self: ")
                .append(NAME);
        StringBuilder arguments = new StringBuilder();
        for (int i = 0; i < arity; i++) {
            String argument = arity == 1 ? "arg" : "arg_" + i;
            out.append(",\n    ").append(argument).append(": Tensor");
            arguments.append(argument).append(", ");
        }
        out.append(") -> ")
                .append(ModuleSources.resultType(model))
                .append(":\n    mod = self.mod\n    return (mod).forward(")
                .append(arguments)
                .append(")\n");
        int temporary = generator(out, count, arity, type);
        method(
                out,
                "get_all_bundled_inputs_for_forward",
                type,
                "    all_inputs = (self)._generate_bundled_inputs_for_forward()\n" + "    return all_inputs\n");
        method(
                out,
                "get_all_bundled_inputs",
                type,
                "    _" + temporary + " = (self).get_all_bundled_inputs_for_forward()\n    return _" + temporary
                        + "\n");
        temporary++;
        method(
                out,
                "get_num_bundled_inputs",
                "int",
                "    _" + temporary + " = (self).get_all_bundled_inputs_for_forward()\n" + "    return torch.len(_"
                        + temporary + ")\n");
        temporary++;
        method(
                out,
                "get_bundled_inputs_functions_and_info",
                "Dict[str, Dict[str, List[str]]]",
                "    _" + temporary + " = \"get_all_bundled_inputs_for_forward\"\n"
                        + "    all_inputs = annotate(Dict[str, Dict[str, List[str]]], {})\n"
                        + "    temp_dict = annotate(Dict[str, List[str]], {})\n    info = annotate(List[str], [])\n"
                        + "    torch._set_item(temp_dict, \"info\", info)\n"
                        + "    torch._set_item(temp_dict, \"get_inputs_function_name\", [_" + temporary + "])\n"
                        + "    torch._set_item(all_inputs, \"forward\", temp_dict)\n    return all_inputs\n");
        return out.toString();
    }

    /** @return the next free temporary */
    private static int generator(StringBuilder out, int count, int arity, String type) {
        StringBuilder body =
                new StringBuilder("    _bundled_inputs_deflated_forward = self._bundled_inputs_deflated_forward\n");
        List<String> tuples = new ArrayList<>();
        int temporary = 0;
        for (int i = 0; i < count; i++) {
            List<String> names = new ArrayList<>();
            for (int k = 0; k < arity; k++) {
                body.append("    _")
                        .append(temporary)
                        .append(" = (_bundled_inputs_deflated_forward[")
                        .append(i)
                        .append("])[")
                        .append(k)
                        .append("]\n");
                names.add("_" + temporary++);
            }
            tuples.add("(" + String.join(", ", names) + (arity == 1 ? ",)" : ")"));
        }
        body.append("    return [").append(String.join(", ", tuples)).append("]\n");
        method(out, "_generate_bundled_inputs_for_forward", type, body.toString());
        return temporary;
    }

    private static void method(StringBuilder out, String name, String type, String body) {
        out.append("  def ")
                .append(name)
                .append("(self: ")
                .append(NAME)
                .append(") -> ")
                .append(type)
                .append(":\n")
                .append(body);
    }
}
