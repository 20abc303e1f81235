package org.torchnnapi.exported.lowering;

import java.util.Arrays;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;

/** Operators that write into tensors that they are given for that, recorded as what gives them, and copies. */
final class OutForms {
    private OutForms() {}

    /** The operator that gives what an operator writes into tensors at the end; null for any other operator. */
    static Operator functional(FunctionSchema schema) {
        int own = own(schema);
        if (own == schema.arguments().size()) {
            return null;
        }
        for (Operator operator : OperatorRegistry.withBuiltins().overloads(schema.name())) {
            if (!operator.schema().isMutating()
                    && operator.schema().arguments().equals(schema.arguments().subList(0, own))) {
                return operator;
            }
        }
        return null;
    }

    /** How many arguments there are before tensors that are given to be written into. */
    private static int own(FunctionSchema schema) {
        int own = schema.arguments().size();
        while (own > 0
                && schema.arguments().get(own - 1).mutated()
                && schema.arguments().get(own - 1).keywordOnly()) {
            own--;
        }
        return own;
    }

    /** PyTorch's names of such forms follow no rule, so that a program has the result copied. */
    static Object into(ProgramRecorder recorder, Node node, Operator functional, Object[] given) {
        int own = functional.schema().arguments().size();
        Object[] inputs = Arrays.copyOf(given, own);
        int type = functional.schema().indexOf("dtype");
        if (type >= 0 && inputs[type] == null) {
            inputs[type] = (long) ((Tensor) given[own]).dtype().code();
        }
        Object result = recorder.run(node, functional, inputs);
        Object[] outs = Arrays.copyOfRange(given, own, given.length);
        for (int i = 0; i < outs.length; i++) {
            Tensor made = (Tensor) (outs.length == 1 ? result : ((Object[]) result)[i]);
            Tensor out = (Tensor) outs[i];
            if (!Arrays.equals(made.sizes(), out.sizes())) {
                recorder.problem(
                        node.schema().fullName(),
                        node.range(),
                        "it resizes the tensor that it writes into, which is given for that");
                recorder.unknown(made);
                return outs.length == 1 ? made : result;
            }
            OperatorCalls.run(recorder, node, "aten::copy_", out, made, false);
        }
        return outs.length == 1 ? outs[0] : outs;
    }
}
