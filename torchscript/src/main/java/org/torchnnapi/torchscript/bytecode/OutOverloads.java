package org.torchnnapi.torchscript.bytecode;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.torchnnapi.torchscript.ir.FunctionSchema;

/**
 * The names of overloads that write into tensors they are given. By rule such a name is that of the plain overload with
 * {@code _out} behind it; PyTorch has others for some operators, older than the rule.
 */
final class OutOverloads {
    private static final Map<String, List<String>> OLDER = Map.ofEntries(
            Map.entry("Tensor_out", List.of("out", "OutTensor")),
            Map.entry("Tensor_mode_out", List.of("out_mode")),
            Map.entry("dim_out", List.of("dim_max", "dim_min", "dim_values", "out")),
            Map.entry("other_out", List.of("out")),
            Map.entry("dim_IntList_out", List.of("IntList_out")),
            Map.entry("dim_int_out", List.of("int_out")),
            Map.entry("ScalarOpt_dim_out", List.of("out")),
            Map.entry("ScalarOpt_dim_dtype_out", List.of("dtype_out")),
            Map.entry("stable_out", List.of("values_stable")),
            Map.entry("p_out", List.of("float_out")),
            Map.entry("Scalar_Self_out", List.of("OutScalar_Self")),
            Map.entry("Scalar_Other_out", List.of("OutScalar_Other")));

    private OutOverloads() {}

    /**
     * The overload that a target has of an operator: the schema's own unless that one writes into tensors and has
     * another name there.
     */
    static String of(FunctionSchema schema, LiteTarget target) {
        List<FunctionSchema.Argument> results = new ArrayList<>();
        schema.arguments().stream()
                .filter(argument -> argument.keywordOnly() && argument.mutated())
                .forEach(results::add);
        if (results.isEmpty()) {
            return schema.overload();
        }
        List<String> names = new ArrayList<>();
        if (schema.overload().equals("out")) {
            // Where that is the form over a dimension, the one over all elements has a name of its own.
            names.add("all_out");
        }
        names.add(schema.overload());
        names.addAll(OLDER.getOrDefault(schema.overload(), List.of()));
        if (results.size() > 1) {
            names.add(results.get(0).name());
        }
        return names.stream()
                .filter(name -> target.has(schema.name() + "." + name))
                .findFirst()
                .orElse(schema.overload());
    }
}
