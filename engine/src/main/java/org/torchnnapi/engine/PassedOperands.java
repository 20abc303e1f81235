package org.torchnnapi.engine;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * The operands of NNAPI models that a method's arguments and results are, where it hands them on as they are: found by
 * walking through its calls with places in the stead of values. What is computed in between ends the walk.
 */
final class PassedOperands {
    /** What a converted module calls the order of memory whose channels lie last. */
    private static final int CHANNELS_LAST = 1;
    /** Calls within calls that are followed; wrappers are few. */
    private static final int DEPTH = 16;

    /** A place: an argument of the method. */
    private record Argument(int index) {}

    /** A place: an operand that a converted module takes or gives. */
    private record Place(ScriptObject module, int index, boolean isInput) {}

    private final Map<Integer, Place> inputs = new HashMap<>();
    private final Map<ScriptObject, Model> models = new HashMap<>();
    private Object result;

    private PassedOperands() {}

    static PassedOperands of(ScriptObject object, Function function) {
        PassedOperands found = new PassedOperands();
        List<Object> arguments = new ArrayList<>();
        arguments.add(object);
        for (int i = 1; i < function.schema().arguments().size(); i++) {
            arguments.add(new Argument(i - 1));
        }
        // Code is compiled only where there is something to be found.
        if (holdsConverted(object, Collections.newSetFromMap(new IdentityHashMap<>()))) {
            found.result = found.call(function, arguments, DEPTH);
        }
        return found;
    }

    private static boolean holdsConverted(ScriptObject module, Set<ScriptObject> seen) {
        if (!seen.add(module)) {
            return false;
        }
        if (isConverted(module)) {
            return true;
        }
        for (int slot = 0; slot < module.type().attributes().size(); slot++) {
            if (module.slot(slot) instanceof ScriptObject child && holdsConverted(child, seen)) {
                return true;
            }
        }
        return false;
    }

    /** The argument with what its operand says, where it is one. */
    ValueInfo input(int index, ValueInfo value) {
        return described(inputs.get(index), value);
    }

    /** The result, or an item of a tuple, with what its operand says, where it is one. */
    ValueInfo output(int index, ValueInfo value) {
        Object at = result instanceof List<?> items && index < items.size() ? items.get(index) : result;
        return at instanceof Place place && !place.isInput && value.type().equals("Tensor")
                ? described(place, value)
                : value;
    }

    /** @return the place that the result is, a list of such, or null for what is computed */
    private Object call(Function function, List<Object> arguments, int depth) {
        if (arguments.get(0) instanceof ScriptObject self && isConverted(self)) {
            return function.name().equals("forward") && arguments.size() > 1 ? run(self, arguments.get(1)) : null;
        }
        if (depth == 0 || !function.hasBody() || hasHooks(arguments.get(0))) {
            return null;
        }
        Graph graph = function.graph();
        Map<Value, Object> known = new HashMap<>();
        for (int i = 0; i < graph.inputs().size(); i++) {
            known.put(graph.inputs().get(i), arguments.get(i));
        }
        for (Node node : graph.block().nodes()) {
            follow(node, known, depth);
        }
        return graph.outputs().size() == 1 ? known.get(graph.outputs().get(0)) : null;
    }

    /** Nodes are told by what they are given and give: objects, lists and tuples alone are followed. */
    private void follow(Node node, Map<Value, Object> known, int depth) {
        List<Object> given = node.inputs().stream().map(known::get).collect(Streams.toList());
        Object first = given.isEmpty() ? null : given.get(0);
        if (first instanceof ScriptObject self
                && node.attribute("name") instanceof String name
                && node.outputs().size() == 1) {
            known.put(node.output(), has(self, name) ? self.get(name) : method(self, name, given, depth));
        } else if (putsTogether(node)) {
            known.put(node.output(), given);
        } else if (first instanceof List<?> && takesApart(node)) {
            for (int i = 0; i < node.outputs().size(); i++) {
                known.put(node.output(i), item(first, i));
            }
        } else if (first instanceof List<?> && givesOne(node)) {
            known.put(
                    node.output(),
                    Literals.of(node.input(1))
                            .map(literal -> literal.value() instanceof Long at ? item(first, at) : null)
                            .orElse(null));
        } else {
            // It may change a list.
            node.inputs().forEach(known::remove);
        }
    }

    private static boolean isPlain(Node node) {
        return node.schema() == null
                && node.attributes().isEmpty()
                && node.blocks().isEmpty();
    }

    /** Whether it makes a list or tuple of its inputs. */
    private static boolean putsTogether(Node node) {
        if (!isPlain(node) || node.outputs().size() != 1 || node.inputs().isEmpty()) {
            return false;
        }
        Type type = node.output().type();
        return type instanceof Type.TupleType tuple
                        && tuple.elements().size() == node.inputs().size()
                || type instanceof Type.ListType list
                        && node.inputs().stream().allMatch(input -> input.type().equals(list.element()));
    }

    /** Whether it gives each item of a list or tuple. */
    private static boolean takesApart(Node node) {
        if (!isPlain(node) || node.inputs().size() != 1) {
            return false;
        }
        Type type = node.input(0).type();
        return type instanceof Type.TupleType tuple
                        && tuple.elements().size() == node.outputs().size()
                || type instanceof Type.ListType list
                        && node.outputs().stream()
                                .allMatch(output -> output.type().equals(list.element()));
    }

    /** Whether it gives the item of a list or tuple that has a number. */
    private static boolean givesOne(Node node) {
        if (node.inputs().size() != 2
                || node.outputs().size() != 1
                || node.input(1).type() != Type.Basic.INT) {
            return false;
        }
        FunctionSchema schema = node.schema();
        return node.input(0).type() instanceof Type.TupleType
                ? isPlain(node)
                : schema != null
                        && !schema.isMutating()
                        && schema.arguments().get(0).type() instanceof Type.ListType list
                        && list.element() instanceof Type.Variable
                        && list.element().equals(schema.returns().get(0).type());
    }

    /** @param given its arguments, of which the first is the object */
    private Object method(ScriptObject self, String name, List<Object> given, int depth) {
        Function called = self.type().method(name);
        return called == null || called.schema().arguments().size() != given.size()
                ? null
                : call(called, given, depth - 1);
    }

    private static Object item(Object list, long index) {
        return list instanceof List<?> items && index >= 0 && index < items.size() ? items.get((int) index) : null;
    }

    /** Notes what arguments a converted module takes, and gives the places of its results. */
    private Object run(ScriptObject self, Object given) {
        Model model = models.computeIfAbsent(self, PassedOperands::decode);
        if (model == null || !(given instanceof List<?> values) || values.size() != model.inputCount()) {
            return null;
        }
        for (int i = 0; i < values.size(); i++) {
            if (values.get(i) instanceof Argument argument) {
                inputs.putIfAbsent(argument.index, new Place(self, i, true));
            }
        }
        List<Object> results = new ArrayList<>();
        for (int i = 0; i < model.outputCount(); i++) {
            results.add(new Place(self, i, false));
        }
        return results;
    }

    private static boolean hasHooks(Object object) {
        return object instanceof ScriptObject self
                && !(self.type().forwardPreHooks().isEmpty()
                        && self.type().forwardHooks().isEmpty());
    }

    private static boolean isConverted(ScriptObject module) {
        return has(module, "ser_model") && has(module, "weights") && has(module, "inp_mem_fmts");
    }

    private static boolean has(ScriptObject module, String attribute) {
        return module.type().slot(attribute) >= 0;
    }

    /** Null for a model with sizes that are set at load, which is not legal before. */
    private static Model decode(ScriptObject module) {
        if (!(module.get("ser_model") instanceof Tensor words && module.get("weights") instanceof ScriptList weights)) {
            return null;
        }
        try {
            return NnapiPart.requireLegal(
                    words, weights.items().stream().map(Tensor.class::cast).collect(Streams.toList()));
        } catch (NnapiException e) {
            return null;
        }
    }

    private ValueInfo described(Place place, ValueInfo value) {
        if (place == null) {
            return value;
        }
        Model model = models.get(place.module);
        OperandDescriptor operand = (place.isInput ? model.input(place.index) : model.output(place.index)).descriptor();
        String formats = place.isInput ? "inp_mem_fmts" : "out_mem_fmts";
        int[] sizes = operand.dimensions();
        if (sizes.length == 4
                && place.module.get(formats) instanceof ScriptList all
                && place.index < all.size()
                && all.get(place.index) instanceof Number format
                && format.intValue() == CHANNELS_LAST) {
            sizes = new int[] {sizes[0], sizes[3], sizes[1], sizes[2]};
        }
        List<Integer> shape = new ArrayList<>();
        for (int size : sizes) {
            shape.add(size == 0 ? -1 : size);
        }
        return value.withTensor(elements(operand), operand.hasRank() ? shape : null, has(place.module, "most_shapes"));
    }

    /** Null for elements that tensors of PyTorch do not hand to NNAPI as they are. */
    private static DType elements(OperandDescriptor operand) {
        return switch (operand.type()) {
            case TENSOR_FLOAT32 -> DType.FLOAT32;
            case TENSOR_INT32 -> DType.INT32;
            case TENSOR_QUANT8_ASYMM -> DType.QUINT8;
            case TENSOR_QUANT8_ASYMM_SIGNED -> DType.QINT8;
            default -> null;
        };
    }
}
