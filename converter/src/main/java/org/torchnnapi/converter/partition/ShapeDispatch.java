package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.GraphVerifier;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * Makes of a method that was converted for several shapes, once each under names of their own, one that calls what was
 * converted for the shapes it is given, and the original for any others.
 */
public final class ShapeDispatch {
    private final ClassType type = new ClassType(DelegateRewriter.NAME, ClassType.Kind.MODULE);
    private final Graph graph = new Graph();
    private final FunctionSchema schema;
    private final List<List<?>> samples;
    private final List<String> converted;

    private ShapeDispatch(FunctionSchema schema, Map<String, List<?>> samples) {
        this.schema = schema;
        this.converted = new ArrayList<>(samples.keySet());
        this.samples = new ArrayList<>(samples.values());
    }

    /**
     * @param made a module with the method as it was, and the converted ones; not changed
     * @param method the method's name; what it was stays as {@link LoadedModel#fallbackOf}
     * @param samples per converted method the arguments that it was converted for; their shapes tell it apart, and what
     *     is None among them
     * @param kept names of the other methods that stay
     */
    public static ScriptObject of(ScriptObject made, String method, Map<String, List<?>> samples, Set<String> kept) {
        return new ShapeDispatch(made.type().method(method).schema(), samples).run(made, method, kept);
    }

    private ScriptObject run(ScriptObject made, String method, Set<String> kept) {
        RetainedMembers parts = new RetainedMembers(type, made);
        parts.stateOfModules();
        schema.arguments()
                .forEach(
                        argument -> graph.addInput(graph.inputs().isEmpty() ? type : argument.type(), argument.name()));
        graph.block().addResult(choice(graph.block(), 0));
        GraphVerifier.verify(graph);
        type.addMethod(
                new Function(DelegateRewriter.NAME + "." + method, parts.signature(schema, method), () -> graph));
        converted.forEach(name -> parts.method(name, name));
        parts.method(method, LoadedModel.fallbackOf(method));
        new TreeSet<>(kept)
                .stream().filter(name -> made.type().method(name) != null).forEach(name -> parts.method(name, name));
        ScriptObject object = new ScriptObject(type);
        parts.attributes().forEach(object::set);
        return object;
    }

    /** The result for the shapes of the converted method of a number, or those behind it. */
    private Value choice(Block block, int number) {
        if (number == converted.size()) {
            return call(block, LoadedModel.fallbackOf(schema.name()));
        }
        Node branch = graph.create(Prim.IF)
                .addInput(new GuardPredicate(graph)
                        .of(block, graph.inputs().subList(1, graph.inputs().size()), samples.get(number)));
        block.append(branch);
        Block yes = branch.addBlock();
        yes.addResult(call(yes, converted.get(number)));
        Block no = branch.addBlock();
        no.addResult(choice(no, number + 1));
        return branch.addOutput(schema.returns().get(0).type());
    }

    private Value call(Block block, String method) {
        Node call = graph.create(Prim.CALL_METHOD).attribute("name", method);
        graph.inputs().forEach(call::addInput);
        block.append(call);
        return call.addOutput(schema.returns().get(0).type());
    }
}
