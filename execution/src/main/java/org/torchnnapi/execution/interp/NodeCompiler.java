package org.torchnnapi.execution.interp;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import org.torchnnapi.operators.DerivedForms;
import org.torchnnapi.operators.NumberOperand;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.operators.QuantizeOperators;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;

/** Makes the step of a node without blocks: by kind, or the kernel of its operator. */
final class NodeCompiler {
    private interface Factory {
        GraphStep step(Node node, int[] inputs, int[] outputs);
    }

    private final Function<String, List<Operator>> operators;
    private final Map<String, Factory> factories = new HashMap<>();
    private volatile boolean readsMemory;

    NodeCompiler(Function<String, List<Operator>> operators) {
        this.operators = operators;
        factories.put(Prim.GET_ATTR, ObjectSteps.GetAttribute::new);
        factories.put(Prim.SET_ATTR, (node, in, out) -> new ObjectSteps.SetAttribute(node, in));
        factories.put(Prim.CREATE_OBJECT, (node, in, out) -> new ObjectSteps.Create(node, out[0]));
        factories.put(Prim.CALL_METHOD, CallSteps.Method::new);
        factories.put(Prim.CALL_FUNCTION, CallSteps.OfFunction::new);
        factories.put(Prim.ENTER, (node, in, out) -> new CallSteps.Context(node, in, out, "__enter__", 0));
        factories.put(Prim.EXIT, (node, in, out) -> new CallSteps.Context(node, in, out, "__exit__", 3));
        factories.put(Prim.TUPLE_UNPACK, (node, in, out) -> new ContainerSteps.Unpack(node, in[0], out));
        factories.put(Prim.LIST_UNPACK, (node, in, out) -> new ContainerSteps.Unpack(node, in[0], out));
        ValueSteps.register((kind, maker) -> factories.put(
                kind, (node, in, out) -> new ValueSteps.Computed(node, in, out[0], maker.operation(node))));
    }

    /** Whether nodes of a kind run that is no operator of the registry. */
    boolean hasOwn(String kind) {
        return factories.containsKey(kind);
    }

    /** Whether a node that was compiled may look at memory beside the elements of its argument. */
    boolean readsMemory() {
        return readsMemory;
    }

    GraphStep step(Node node, int[] inputs, int[] outputs) {
        if (OperatorTrait.READS_MEMORY.of(node)) {
            readsMemory = true;
        }
        Factory factory = factories.get(node.kind());
        if (factory != null) {
            return factory.step(node, inputs, outputs);
        }
        Operator operator = operator(node);
        if (operator == null) {
            return new KernelSteps.Unknown(node);
        }
        if (node.is("aten::contiguous") && inputs.length == 2) {
            return new ContiguousStep(node, inputs, outputs, operator.kernel());
        }
        if (QuantizeOperators.isQuantize(node)
                && inputs.length == 4
                && node.input(1).type() == Type.Basic.FLOAT) {
            return new QuantizeStep(node, inputs, outputs, operator.kernel());
        }
        OperatorKernel withNumber = withNumber(node);
        return new KernelSteps.Kernel(node, inputs, outputs, withNumber != null ? withNumber : operator.kernel());
    }

    /**
     * The kernel of the form that takes a number, where the second operand {@linkplain NumberOperand counts as one};
     * else null.
     */
    private OperatorKernel withNumber(Node node) {
        Number number = NumberOperand.of(node);
        Operator operator = number == null ? null : NumberOperand.operator(node, operators.apply(node.kind()));
        return operator == null
                ? null
                : in -> {
                    in[1] = number;
                    return operator.kernel().call(in);
                };
    }

    /** The operator of the node's schema; passes may leave the schema out, then the first one that its inputs fit. */
    private Operator operator(Node node) {
        for (Operator operator : operators.apply(node.kind())) {
            FunctionSchema schema = operator.schema();
            if (node.schema() == schema
                    || (node.schema() != null ? schema.equals(node.schema()) : fits(node, schema))) {
                return operator;
            }
        }
        if (node.schema() != null) {
            for (Operator operator : DerivedForms.of(node.kind(), operators)) {
                if (operator.schema().equals(node.schema())) {
                    return operator;
                }
            }
        }
        return null;
    }

    private static boolean fits(Node node, FunctionSchema schema) {
        int count = schema.arguments().size();
        if (node.inputs().size() != count
                        && !(schema.isVararg() && node.inputs().size() > count)
                || node.outputs().size() != schema.returns().size()) {
            return false;
        }
        Map<String, Type> variables = new HashMap<>();
        for (int i = 0; i < count; i++) {
            Type formal = schema.arguments().get(i).type();
            Type actual = node.input(i).type();
            if (!TypeRelations.bind(formal, actual, variables)
                    || !TypeRelations.isSubtype(actual, TypeRelations.substitute(formal, variables))) {
                return false;
            }
        }
        return true;
    }
}
