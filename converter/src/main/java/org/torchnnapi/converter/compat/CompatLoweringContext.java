package org.torchnnapi.converter.compat;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.converter.model.ModelAssembler;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.converter.shape.ShapeProgram;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * What lowerings know of the graph so far: which values are operands, which are constants, which are sequences of other
 * values; and the accessors that read a node's arguments or refuse the node.
 */
final class CompatLoweringContext {
    /** An operand with its index. */
    record Ref(int id, TensorOperand operand) {
        int size(int dimension) {
            return operand.size(dimension);
        }
    }

    /** A size of a tensor that is only known when the model runs. */
    enum RunTimeSize {
        INSTANCE
    }

    private record Known(Object value) {}

    private final ModelAssembler model = new ModelAssembler();
    private final Map<Value, Integer> operands = new HashMap<>();
    private final Map<Value, Known> constants = new HashMap<>();
    private final Map<Value, List<Value>> sequences = new HashMap<>();
    private final Set<Value> unknown = new HashSet<>();

    ModelAssembler model() {
        return model;
    }

    ShapeProgram shapes() {
        return model.shapes();
    }

    // What a value is.

    void bind(Value value, int operand) {
        operands.put(value, operand);
    }

    /** Declares a node's result as a new operand. */
    int define(Value value, TensorOperand operand) {
        int id = model.add(operand);
        operands.put(value, id);
        return id;
    }

    void defineConstant(Value value, Object constant) {
        constants.put(value, new Known(constant));
    }

    void defineSequence(Value value, List<Value> items) {
        sequences.put(value, List.copyOf(items));
    }

    /** The value comes from a refused node. */
    void markUnknown(Value value) {
        unknown.add(value);
    }

    /** Lets {@code value} stand for whatever {@code other} stands for. */
    void alias(Value value, Value other) {
        if (operands.containsKey(other)) {
            operands.put(value, operands.get(other));
        }
        if (constants.containsKey(other)) {
            constants.put(value, constants.get(other));
        }
        if (sequences.containsKey(other)) {
            sequences.put(value, sequences.get(other));
        }
        if (unknown.contains(other)) {
            unknown.add(value);
        }
    }

    boolean isUnknown(Value value) {
        return unknown.contains(value);
    }

    boolean isOperand(Value value) {
        return operands.containsKey(value);
    }

    boolean isConstant(Value value) {
        return constants.containsKey(value);
    }

    /** The items of a list or tuple of tensors, or null. */
    List<Value> sequence(Value value) {
        if (isUnknown(value)) {
            throw new UnknownOperand();
        }
        return sequences.get(value);
    }

    // Tensors.

    Ref operand(Value value) {
        Integer id = operands.get(value);
        if (id == null) {
            if (isUnknown(value)) {
                throw new UnknownOperand();
            }
            throw new Refused(
                    "the operand must be computed from the model's inputs",
                    describe(value),
                    "a tensor computed at run time",
                    "fold the constant into a weight, or compute it outside the model");
        }
        return new Ref(id, model.operand(id));
    }

    /** An operand none of whose sizes is left open until load time. */
    Ref fixedOperand(Value value) {
        Ref ref = operand(value);
        if (ref.operand().hasLoadTimeSizes()) {
            throw new Refused(
                    "this operator needs fixed sizes",
                    ref.operand().text(),
                    "no size of 0 (flexible)",
                    "give the input a fixed shape");
        }
        return ref;
    }

    Ref featureMap(Ref ref) {
        if (ref.operand().rank() != 4) {
            throw new Refused(
                    "NNAPI works on 4-D feature maps here",
                    ref.operand().text(),
                    "rank 4 (N, C, H, W)",
                    "add a batch dimension");
        }
        return ref;
    }

    /** An operand, or a constant tensor stored in the given layout. */
    Ref operandOrConstant(Value value, OperandLayout layout) {
        if (operands.containsKey(value) || isUnknown(value)) {
            return operand(value);
        }
        return weight(tensorConstant(value), layout);
    }

    /** A new constant operand in the order of dimensions that its operation wants. */
    Ref weight(Tensor tensor) {
        return weight(tensor, OperandLayout.CONSTANT);
    }

    private Ref weight(Tensor tensor, OperandLayout layout) {
        TensorOperand operand = TensorOperand.ofConstant(tensor, layout);
        Tensor stored = layout == OperandLayout.CHANNELS_LAST ? tensor.permute(0, 2, 3, 1) : tensor;
        return new Ref(model.addWeight(operand, stored), operand);
    }

    // Constants.

    Object constant(Value value) {
        Known known = constants.get(value);
        if (known == null) {
            if (isUnknown(value)) {
                throw new UnknownOperand();
            }
            throw new Refused(
                    "this argument must be known at conversion",
                    describe(value),
                    "a constant",
                    "make it a literal or a module attribute that never changes");
        }
        return known.value();
    }

    boolean isNone(Value value) {
        return constants.containsKey(value) && constants.get(value).value() == null;
    }

    Tensor tensorConstant(Value value) {
        if (operands.containsKey(value)) {
            throw new Refused(
                    "this argument must be known at conversion",
                    describe(value),
                    "a constant tensor",
                    "use a parameter or buffer of the module");
        }
        return (Tensor) typed(value, Tensor.class, "a constant tensor");
    }

    /** The tensor or null for None. */
    Tensor optionalTensorConstant(Value value) {
        return isNone(value) ? null : tensorConstant(value);
    }

    long intConstant(Value value) {
        return (Long) typed(value, Long.class, "an int");
    }

    double floatConstant(Value value) {
        return ((Number) typed(value, Double.class, "a float")).doubleValue();
    }

    /** An int or a float, as argument of a schema that says Scalar. */
    double numberConstant(Value value) {
        return ((Number) typed(value, Number.class, "a number")).doubleValue();
    }

    boolean boolConstant(Value value) {
        return (Boolean) typed(value, Boolean.class, "a bool");
    }

    /** An int, or null for None. */
    Long optionalIntConstant(Value value) {
        return isNone(value) ? null : (Long) typed(value, Long.class, "an int or None");
    }

    /** A list of ints; a {@link RunTimeSize} in it is -1. */
    int[] intsConstant(Value value) {
        ScriptList list = (ScriptList) typed(value, ScriptList.class, "a list of ints");
        long[] out = new long[list.size()];
        for (int i = 0; i < out.length; i++) {
            Object item = list.get(i);
            if (!(item instanceof Long number)) {
                throw new Refused(
                        "this argument must be known at conversion",
                        describe(value),
                        "a list of constant ints",
                        "give the input a fixed shape");
            }
            out[i] = number;
        }
        return Shape.toInts(out);
    }

    /** The {@code __getstate__} value of packed parameters. */
    Object packedState(Value value, String className) {
        CustomObject object =
                (CustomObject) typed(value, CustomObject.class, "packed parameters of a quantized module");
        if (!object.type().qualifiedName().endsWith("." + className)) {
            throw new Refused(
                    "the packed parameters must fit the operator", object.type().qualifiedName(), className, "");
        }
        return object.type().getState(object.payload());
    }

    private Object typed(Value value, Class<?> type, String expected) {
        Object constant = constant(value);
        if (!type.isInstance(constant)) {
            throw new Refused("the argument's type", describeConstant(constant), expected, "");
        }
        return constant;
    }

    // Results.

    /** Adds an operation whose result has no load-time sizes of its own to compute. */
    void emit(Value result, OperationType type, TensorOperand output, int... inputs) {
        model.operation(type, define(result, output), inputs);
    }

    /** Lets every load-time size of {@code result} be that of the same dimension of {@code source}. */
    void forwardSizes(int result, Ref source) {
        for (int d = 0; d < source.operand().rank(); d++) {
            if (source.size(d) == TensorOperand.AT_LOAD) {
                shapes().forward(result, d, source.id(), d);
            }
        }
    }

    // Reports.

    /** A node's arguments as a report shows them; constants of the module are shown by dtype and shape. */
    List<String> describeOperands(Node node) {
        List<String> out = new ArrayList<>();
        for (Value input : node.inputs()) {
            out.add(describe(input));
        }
        return out;
    }

    String describe(Value value) {
        if (operands.containsKey(value)) {
            return model.operand(operands.get(value)).text();
        }
        if (constants.containsKey(value)) {
            return describeConstant(constants.get(value).value());
        }
        if (sequences.containsKey(value)) {
            return sequences.get(value).stream()
                    .map(this::describe)
                    .collect(Streams.toList())
                    .toString();
        }
        return isUnknown(value) ? "result of a refused node" : value.type().text();
    }

    private static String describeConstant(Object constant) {
        if (constant == null) {
            return "None";
        }
        if (constant instanceof Tensor tensor) {
            return "constant " + tensor.dtype().torchName() + Arrays.toString(tensor.sizes());
        }
        if (constant instanceof CustomObject object) {
            String name = object.type().qualifiedName();
            return name.substring(name.lastIndexOf('.') + 1);
        }
        if (constant instanceof String text) {
            return '"' + text + '"';
        }
        return constant == RunTimeSize.INSTANCE ? "a size known at run time" : String.valueOf(constant);
    }
}
