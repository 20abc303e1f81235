package org.torchnnapi.operators.passes;

import java.util.Arrays;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.operators.packed.FloatContext;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.EachNode;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptList;

/** What {@code optimize_for_mobile} packed for a phone's processor is said in ordinary operators again. */
public final class Unpacking {
    private Unpacking() {}

    /** @return whether anything changed */
    public static boolean run(Graph graph) {
        return EachNode.over(graph, Unpacking::unpack);
    }

    private static boolean unpack(Node node) {
        boolean packed = node.kind().startsWith("prepacked::") && node.kind().endsWith("_clamp_run");
        if (!packed
                || !Literals.of(node.input(1)).isPresent()
                || !(Literals.of(node.input(1)).get().value() instanceof CustomObject object)
                || !(object.payload() instanceof FloatContext context)) {
            return false;
        }
        int[][] geometry = context.geometry();
        Value made = switch (node.kind()) {
            case "prepacked::conv2d_clamp_run" ->
                call(
                        node,
                        "aten::conv2d",
                        node.input(0),
                        context.weight(),
                        context.bias(),
                        list(geometry[0]),
                        list(geometry[1]),
                        list(geometry[2]),
                        (long) context.groups());
            case "prepacked::conv2d_transpose_clamp_run" ->
                call(
                        node,
                        "aten::conv_transpose2d.input",
                        node.input(0),
                        context.weight(),
                        context.bias(),
                        list(geometry[0]),
                        list(geometry[1]),
                        list(geometry[2]),
                        (long) context.groups(),
                        list(geometry[3]));
            default -> call(node, "aten::linear", node.input(0), context.weight(), context.bias());
        };
        if (context.min() != null || context.max() != null) {
            made = call(node, "aten::clamp", made, finite(context.min()), finite(context.max()));
        }
        node.output().replaceAllUsesWith(made);
        node.destroy();
        return true;
    }

    private static Double finite(Double limit) {
        return limit == null || limit.isInfinite() ? null : limit;
    }

    private static ScriptList list(int... values) {
        return ScriptList.ofInts(Arrays.stream(values).asLongStream().toArray());
    }

    /** A call, by the overload's full name, of values and constants, in the place of {@code before}. */
    private static Value call(Node before, String fullName, Object... arguments) {
        FunctionSchema schema = OperatorRegistry.standard().find(fullName).schema();
        Node made = before.graph().create(schema.name()).range(before.range()).schema(schema);
        for (Object argument : arguments) {
            made.addInput(argument instanceof Value value ? value : constant(before, argument));
        }
        before.owner().insertBefore(before, made);
        return made.addOutput(Type.Basic.TENSOR);
    }

    private static Value constant(Node before, Object value) {
        Type type = value == null
                ? Type.Basic.NONE
                : value instanceof ScriptList
                        ? Type.list(Type.Basic.INT)
                        : value instanceof Long
                                ? Type.Basic.INT
                                : value instanceof Double ? Type.Basic.FLOAT : Type.Basic.TENSOR;
        return before.owner()
                .insertBefore(before, before.graph().constant(value, type))
                .output();
    }
}
