package org.torchnnapi.differ;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.execution.interp.Interpreter;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ModuleWriter;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;

/** An operator of TorchScript as a model of its own. */
final class CutOperator {
    private final Graph graph = new Graph();
    private final List<Tensor> inputs = new ArrayList<>();
    private final Map<Tensor, Value> known = new IdentityHashMap<>();
    private final ClassType type = new ClassType("__torch__.cut.Layer", ClassType.Kind.MODULE);

    private CutOperator() {}

    static CutLayer of(RecordedStep step, Interpreter interpreter) {
        CutOperator cut = new CutOperator();
        cut.build(step);
        return new CutLayer(
                cut.inputs, folder -> new ModuleWriter(new ScriptObject(cut.type), interpreter::run).archive(folder));
    }

    private void build(RecordedStep step) {
        graph.addInput(type, "self");
        Map<Value, Value> made = new HashMap<>();
        Value result = null;
        for (int n = 0; n < step.nodes().size(); n++) {
            Node original = step.nodes().get(n);
            List<Value> arguments = new ArrayList<>();
            for (int i = 0; i < original.inputs().size(); i++) {
                Value input = original.input(i);
                arguments.add(
                        made.containsKey(input)
                                ? made.get(input)
                                : value(input, step.arguments().get(n)[i]));
            }
            Node copy = graph.create(
                            original.kind(), arguments, original.output().type())
                    .schema(original.schema())
                    .range(original.range());
            graph.block().append(copy);
            made.put(original.output(), copy.output());
            result = copy.output();
        }
        graph.block().addResult(result);
        List<FunctionSchema.Argument> arguments = new ArrayList<>();
        graph.inputs().forEach(input -> arguments.add(FunctionSchema.Argument.of(input.name(), input.type())));
        FunctionSchema schema = new FunctionSchema(
                "forward", "", arguments, List.of(FunctionSchema.Argument.of("", Type.Basic.TENSOR)), false);
        type.addMethod(new Function(type.name() + ".forward", schema, () -> graph));
    }

    /** An input for a tensor that was computed; a constant for what the model's file holds. */
    private Value value(Value original, Object given) {
        boolean constant =
                original.definition() != null && original.definition().is(Prim.CONSTANT);
        if (given instanceof Tensor tensor && !constant) {
            return known.computeIfAbsent(tensor, t -> {
                inputs.add(t);
                return graph.addInput(Type.Basic.TENSOR, "x" + (inputs.size() - 1));
            });
        }
        if (given instanceof ScriptList list && list.items().stream().anyMatch(Tensor.class::isInstance)) {
            List<Value> items = new ArrayList<>();
            list.items().forEach(item -> items.add(value(original, item)));
            Node made = graph.create(Prim.LIST_CONSTRUCT, items, original.type());
            graph.block().append(made);
            return made.output();
        }
        Node made = graph.constant(
                given, constant ? original.type() : given == null ? Type.Basic.NONE : RuntimeTypes.of(given));
        graph.block().append(made);
        return made.output();
    }
}
