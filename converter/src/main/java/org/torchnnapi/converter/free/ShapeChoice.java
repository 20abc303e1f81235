package org.torchnnapi.converter.free;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.GraphVerifier;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * Makes of a method that was converted for several shapes, once each under names of their own, one that calls what was converted for the shapes
 * it is given, and the original for any others.
 */
public final class ShapeChoice {
    private static final FunctionSchema SIZE = schema("aten::size");
    private static final FunctionSchema EQUAL = schema("aten::eq.int_list");
    private static final FunctionSchema AND = schema("aten::__and__.bool");

    private final ClassType type = new ClassType(DividedGraph.NAME, ClassType.Kind.MODULE);
    private final Graph graph = new Graph();
    private final FunctionSchema schema;
    private final List<Map<Integer, int[]>> shapes;
    private final List<String> converted;

    private ShapeChoice(FunctionSchema schema, Map<String, List<?>> samples) {
        this.schema = schema;
        this.converted = new ArrayList<>(samples.keySet());
        this.shapes = new ArrayList<>();
        samples.values().forEach(arguments -> shapes.add(shapes(arguments)));
    }

    /**
     * @param made    a module with the method as it was, and the converted ones; not changed
     * @param method  the method's name; what it was stays as {@link LoadedModel#fallbackOf}
     * @param samples per converted method the arguments that it was converted for; tensors among them tell it apart
     * @param kept    names of the other methods that stay
     */
    public static ScriptObject of(ScriptObject made, String method, Map<String, List<?>> samples, Set<String> kept) {
        return new ShapeChoice(made.type().method(method).schema(), samples).run(made, method, kept);
    }

    /** Sizes of the arguments that are tensors, by their number; what {@link #of} tells samples apart by. */
    public static Map<Integer, int[]> shapes(List<?> arguments) {
        Map<Integer, int[]> shapes = new LinkedHashMap<>();
        for (int i = 0; i < arguments.size(); i++) {
            if (arguments.get(i) instanceof Tensor tensor) {
                shapes.put(i, tensor.sizes());
            }
        }
        return shapes;
    }

    private ScriptObject run(ScriptObject made, String method, Set<String> kept) {
        KeptParts parts = new KeptParts(type, made);
        parts.stateOfModules();
        schema.arguments().forEach(argument -> graph.addInput(graph.inputs().isEmpty() ? type : argument.type(), argument.name()));
        graph.block().addResult(choice(graph.block(), 0));
        GraphVerifier.verify(graph);
        type.addMethod(new Function(DividedGraph.NAME + "." + method, parts.signature(schema, method), () -> graph));
        converted.forEach(name -> parts.method(name, name));
        parts.method(method, LoadedModel.fallbackOf(method));
        new TreeSet<>(kept).stream().filter(name -> made.type().method(name) != null).forEach(name -> parts.method(name, name));
        ScriptObject object = new ScriptObject(type);
        parts.attributes().forEach(object::set);
        return object;
    }

    /** The result for the shapes of the converted method of a number, or those behind it. */
    private Value choice(Block block, int number) {
        if (number == converted.size()) {
            return call(block, LoadedModel.fallbackOf(schema.name()));
        }
        Node branch = graph.create("prim::If").addInput(fits(block, shapes.get(number)));
        block.append(branch);
        Block yes = branch.addBlock();
        yes.addResult(call(yes, converted.get(number)));
        Block no = branch.addBlock();
        no.addResult(choice(no, number + 1));
        return branch.addOutput(schema.returns().get(0).type());
    }

    private Value fits(Block block, Map<Integer, int[]> sizes) {
        Value all = null;
        for (Map.Entry<Integer, int[]> argument : sizes.entrySet()) {
            Node size = graph.create("aten::size").schema(SIZE).addInput(graph.inputs().get(argument.getKey() + 1));
            block.append(size);
            Node wanted = graph.constant(ScriptList.ofInts(Arrays.stream(argument.getValue()).asLongStream().toArray()), Type.list(Type.Basic.INT));
            block.append(wanted);
            Node equal = graph.create("aten::eq").schema(EQUAL).addInput(size.addOutput(Type.list(Type.Basic.INT))).addInput(wanted.output());
            block.append(equal);
            Value fit = equal.addOutput(Type.Basic.BOOL);
            if (all != null) {
                Node both = graph.create("aten::__and__").schema(AND).addInput(all).addInput(fit);
                block.append(both);
                fit = both.addOutput(Type.Basic.BOOL);
            }
            all = fit;
        }
        return all;
    }

    private Value call(Block block, String method) {
        Node call = graph.create("prim::CallMethod").attribute("name", method);
        graph.inputs().forEach(call::addInput);
        block.append(call);
        return call.addOutput(schema.returns().get(0).type());
    }

    private static FunctionSchema schema(String name) {
        return OperatorRegistry.withBuiltins().find(name).schema();
    }
}
