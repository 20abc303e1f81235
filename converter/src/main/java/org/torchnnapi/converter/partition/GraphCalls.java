package org.torchnnapi.converter.partition;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/** Calls of operators that are put before a node, and where they come from in the source is where the node does. */
final class GraphCalls {
    private final Node place;

    GraphCalls(Node place) {
        this.place = place;
    }

    /** A call of the overload of that full name, without outputs, not yet anywhere in the graph. */
    static Node node(Graph graph, String fullName, Value... inputs) {
        FunctionSchema schema = OperatorRegistry.withBuiltins().find(fullName).schema();
        Node made = graph.create(schema.name()).schema(schema);
        for (Value input : inputs) {
            made.addInput(input);
        }
        return made;
    }

    /**
     * The tensor that an operator gives.
     *
     * @param overload its full name
     * @param inputs values, or what is constant: tensors, numbers, truth values, {@code int[]} and null
     */
    Value call(String overload, Object... inputs) {
        Operator operator = OperatorRegistry.standard().find(overload);
        Node made = place.graph()
                .create(operator.schema().name())
                .schema(operator.schema())
                .range(place.range());
        for (Object input : inputs) {
            made.addInput(value(input));
        }
        place.owner().insertBefore(place, made);
        return made.addOutput(Type.Basic.TENSOR);
    }

    /** The operator of a node on other inputs. */
    Value again(Node node, List<Value> inputs) {
        Node made = place.graph().create(node.kind()).schema(node.schema()).range(place.range());
        inputs.forEach(made::addInput);
        place.owner().insertBefore(place, made);
        return made.addOutput(Type.Basic.TENSOR);
    }

    Value list(List<Value> tensors) {
        Node made = place.graph().create(Prim.LIST_CONSTRUCT).range(place.range());
        tensors.forEach(made::addInput);
        place.owner().insertBefore(place, made);
        return made.addOutput(new Type.ListType(Type.Basic.TENSOR));
    }

    private Value value(Object input) {
        if (input instanceof Value value) {
            return value;
        }
        if (input instanceof int[] numbers) {
            Node made = place.graph().create(Prim.LIST_CONSTRUCT).range(place.range());
            for (long number : Arrays.stream(numbers).asLongStream().toArray()) {
                made.addInput(value(number));
            }
            place.owner().insertBefore(place, made);
            return made.addOutput(new Type.ListType(Type.Basic.INT));
        }
        Type type = input == null
                ? Type.Basic.NONE
                : input instanceof Tensor
                        ? Type.Basic.TENSOR
                        : input instanceof Boolean
                                ? Type.Basic.BOOL
                                : input instanceof Double ? Type.Basic.FLOAT : Type.Basic.INT;
        return place.owner()
                .insertBefore(
                        place,
                        place.graph()
                                .constant(input instanceof Integer number ? (Object) number.longValue() : input, type))
                .output();
    }
}
