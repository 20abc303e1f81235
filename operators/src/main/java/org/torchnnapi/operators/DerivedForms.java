package org.torchnnapi.operators;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.FunctionSchema.Argument;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;

/**
 * Forms of operators that follow from others by rule. An operator that gives tensors has a form with tensors at the end
 * that take the results ({@code aten::linspace.out}), and one whose first argument is a tensor a form that overwrites
 * it ({@code aten::exp_}). PyTorch lists them one by one; what they mean is the same for all.
 */
public final class DerivedForms {
    private DerivedForms() {}

    /** All forms under a name that follow from the operators that {@code operators} gives for one. */
    public static List<Operator> of(String kind, Function<String, List<Operator>> operators) {
        List<Operator> forms = new ArrayList<>(writing(operators.apply(kind)));
        if (kind.endsWith("_") && !kind.endsWith("__")) {
            forms.addAll(inPlace(operators.apply(kind.substring(0, kind.length() - 1))));
        }
        return forms;
    }

    /** The out form of each operator that can have one, in their order. */
    static List<Operator> writing(List<Operator> operators) {
        List<Operator> forms = new ArrayList<>();
        for (Operator operator : operators) {
            FunctionSchema schema = operator.schema();
            if (!schema.isMutating()
                    && !schema.isVararg()
                    && !schema.returns().isEmpty()
                    && schema.returns().stream().allMatch(r -> r.type() == Type.Basic.TENSOR)) {
                forms.add(writing(operator));
            }
        }
        return forms;
    }

    private static Operator writing(Operator operator) {
        FunctionSchema schema = operator.schema();
        int own = schema.arguments().size();
        List<Argument> arguments = new ArrayList<>(schema.arguments());
        List<Argument> returns = new ArrayList<>();
        for (int i = 0; i < schema.returns().size(); i++) {
            String given = schema.returns().get(i).name();
            String name = schema.returns().size() == 1 ? "out" : given.isEmpty() ? "out" + i : given;
            String alias = String.valueOf((char) ('a' + i));
            arguments.add(new Argument(name, Type.Basic.TENSOR, true, false, null, true, alias));
            returns.add(new Argument(given, Type.Basic.TENSOR, false, false, null, true, alias));
        }
        int dtype = schema.indexOf("dtype");
        String overload = schema.overload().isEmpty() ? "out" : schema.overload() + "_out";
        return new Operator(
                new FunctionSchema(schema.name(), overload, arguments, returns, false, traits(schema)), in -> {
                    Object[] inputs = Arrays.copyOf(in, own);
                    if (dtype >= 0 && inputs[dtype] == null) {
                        inputs[dtype] = (long) Args.tensor(in, own).dtype().code();
                    }
                    Object result = operator.kernel().call(inputs);
                    if (returns.size() == 1) {
                        if (schema.traits().contains(OperatorTrait.ELEMENTWISE)) {
                            Tensors.requireCast(
                                    ((Tensor) result).dtype(),
                                    Args.tensor(in, own).dtype());
                        }
                        return into(Args.tensor(in, own), (Tensor) result);
                    }
                    Object[] results = (Object[]) result;
                    Object[] written = new Object[results.length];
                    for (int i = 0; i < results.length; i++) {
                        written[i] = into(Args.tensor(in, own + i), (Tensor) results[i]);
                    }
                    return written;
                });
    }

    /** A form is no composite of its own. */
    private static Set<OperatorTrait> traits(FunctionSchema schema) {
        return schema.traits().stream()
                .filter(trait -> trait != OperatorTrait.COMPOSITE && trait != OperatorTrait.ONLY_COMPOSITE)
                .collect(Collectors.toSet());
    }

    /** A tensor of other sizes takes the result's; its dtype stays. */
    private static Tensor into(Tensor out, Tensor result) {
        if (!Arrays.equals(out.sizes(), result.sizes())) {
            out.become(Tensors.empty(out.dtype(), result.sizes()));
        }
        return Tensors.copyInto(out, result);
    }

    /** The in-place form of each operator that can have one, under the name with an underscore. */
    static List<Operator> inPlace(List<Operator> operators) {
        List<Operator> forms = new ArrayList<>();
        for (Operator operator : operators) {
            FunctionSchema schema = operator.schema();
            List<Argument> arguments = schema.arguments();
            if (schema.isMutating()
                    || schema.isVararg()
                    || arguments.isEmpty()
                    || arguments.get(0).type() != Type.Basic.TENSOR
                    || schema.returns().size() != 1
                    || schema.returns().get(0).type() != Type.Basic.TENSOR) {
                continue;
            }
            List<Argument> own = new ArrayList<>(arguments);
            own.set(0, new Argument(arguments.get(0).name(), Type.Basic.TENSOR, false, false, null, true, "a"));
            forms.add(new Operator(
                    new FunctionSchema(
                            schema.name() + "_",
                            schema.overload(),
                            own,
                            List.of(new Argument("", Type.Basic.TENSOR, false, false, null, true, "a")),
                            false,
                            traits(schema)),
                    in -> {
                        Object result = operator.kernel().call(in.clone());
                        return Tensors.inPlace(Args.tensor(in, 0), (Tensor) result);
                    }));
        }
        return forms;
    }

    /**
     * The out form that a file calls by that overload's name, which PyTorch did not always derive by the rule; null if
     * none is like it.
     *
     * @param given how many arguments it is called with, which none takes that needs more; -1 if that is not said
     */
    public static FunctionSchema named(List<Operator> all, String overload, int given) {
        List<Operator> forms = all.stream()
                .filter(form -> given < 0
                        || form.schema().arguments().stream()
                                        .filter(argument -> !argument.hasDefault())
                                        .count()
                                <= given)
                .collect(Collectors.toList());
        for (String name : switch (overload) {
            // Where a reduction of everything has an out form too, it is called otherwise.
            case "out" -> List.of("dim_out", "out", "Tensor_out", "ScalarOpt_dim_out", "other_out");
            case "all_out" -> List.of("out");
            default -> List.of(overload);
        }) {
            for (Operator form : forms) {
                if (form.schema().overload().equals(name)) {
                    return form.schema();
                }
            }
        }
        String wanted = essence(overload);
        for (Operator form : forms) {
            boolean takes = form.schema().arguments().stream()
                    .anyMatch(a -> a.mutated() && a.name().equals(overload));
            if (overload.toLowerCase(Locale.ROOT).contains("out")
                            && essence(form.schema().overload()).equals(wanted)
                    || form.schema().returns().size() > 1
                            && (takes || essence(form.schema().overload()).equals(wanted))) {
                return form.schema();
            }
        }
        return null;
    }

    private static String essence(String overload) {
        return overload.replaceAll("(?i)out|dim|all|tensor|scalaropt|values|max|min|_", "")
                .toLowerCase(Locale.ROOT);
    }
}
