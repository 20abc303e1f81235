package org.torchnnapi.converter.partial;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Function;
import org.torchnnapi.converter.partial.AbstractValue.Held;
import org.torchnnapi.converter.partial.AbstractValue.Known;
import org.torchnnapi.converter.partial.AbstractValue.Open;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.operators.shape.SampleShapes;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.support.Structures;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * What calls of operators give for samples of their arguments: shapes and element types, which hold for what they give
 * when the file runs.
 */
final class SampleEvaluator {
    /** Nothing is computed of more elements, which a view of few may have. */
    private static final long MAX_SAMPLE = 1L << 28;
    /** Stands for what is not known among arguments. */
    static final Object UNKNOWN = new Object();

    private final ResidualGraph residual;

    SampleEvaluator(ResidualGraph residual) {
        this.residual = residual;
    }

    /** What operators take, or null where some of it is not known. */
    static Object[] arguments(List<AbstractValue> inputs) {
        Object[] arguments = inputs.stream().map(SampleEvaluator::concrete).toArray();
        return areUnknown(arguments) ? null : arguments;
    }

    /** Whether one of them, as {@link #concrete} gave it, is not known. */
    static boolean areUnknown(Object... arguments) {
        return Arrays.stream(arguments).anyMatch(argument -> argument == UNKNOWN);
    }

    /** A value that operators take: what is known, or a sample. */
    static Object concrete(AbstractValue known) {
        return concrete(known, open -> open.sample() == null ? UNKNOWN : open.sample());
    }

    /** @param sample of what is open; {@link #UNKNOWN} where there is none */
    static Object concrete(AbstractValue known, Function<Open, Object> sample) {
        if (known instanceof Known constant) {
            return constant.value();
        }
        if (known instanceof Open open) {
            return sample.apply(open);
        }
        Object container = ((Held) known).container();
        Object made = Structures.isContainer(container)
                ? Structures.map(container, item -> concrete((AbstractValue) item, sample))
                : UNKNOWN;
        return made == UNKNOWN || Structures.items(made).contains(UNKNOWN) ? UNKNOWN : made;
    }

    /** What samples of the results look like; null where that is not known. */
    Object[] of(Node node, List<AbstractValue> inputs, Operator operator, Object[] arguments) {
        boolean counted = node.schema().overload().equals("self_Tensor")
                && node.is("aten::repeat_interleave")
                && inputs.get(1) instanceof Known;
        if (!counted && readsElements(node, arguments)
                || Effects.hasSideEffects(node) && !node.schema().isMutating()) {
            return null;
        }
        try {
            for (int i = 0; i < arguments.length; i++) {
                if (Effects.writes(node, i)
                        && inputs.get(i) instanceof Known
                        && arguments[i] instanceof Tensor tensor) {
                    arguments[i] = tensor.copy(MemoryFormat.CONTIGUOUS);
                }
            }
            Object stand = SampleShapes.zeros(node, operator, arguments);
            if (stand == null && isHuge(node, arguments)) {
                return null;
            }
            return results(node, stand != null ? stand : called(operator, inputs, arguments));
        } catch (RuntimeException failure) {
            if (residual.isCertain()) {
                throw failure;
            }
            return null;
        }
    }

    /** What is asked of the type and the number of dimensions of a tensor that is like that one. */
    static Known kind(Node node, Tensor like) {
        return new Known(OperatorRegistry.withBuiltins()
                .find(node.schema().fullName())
                .kernel()
                .call(new Object[] {like}));
    }

    /** Whether elements decide the sizes of the results. */
    static boolean readsElements(Node node, Object... arguments) {
        return OperatorTrait.DATA_DEPENDENT.of(node) && !countsClasses(node, arguments)
                || node.is("aten::_pack_padded_sequence")
                || node.is("aten::index") && indexesByMask(arguments[1]);
    }

    /**
     * What places samples hold means nothing: where they lie outside of what is picked from, the first ones do as well.
     */
    private static Object called(Operator operator, List<AbstractValue> inputs, Object... arguments) {
        try {
            return operator.kernel().call(arguments);
        } catch (RuntimeException failure) {
            Object[] first = new Object[arguments.length];
            for (int i = 0; i < first.length; i++) {
                first[i] = firstPlaces(inputs.get(i), arguments[i]);
            }
            try {
                return operator.kernel().call(first);
            } catch (RuntimeException again) {
                throw failure;
            }
        }
    }

    private static Object firstPlaces(AbstractValue known, Object argument) {
        if (argument instanceof Tensor tensor
                && known instanceof Open
                && (tensor.dtype() == DType.INT64 || tensor.dtype() == DType.INT32)) {
            return Tensor.zeros(tensor.dtype(), tensor.sizes());
        }
        if (!(argument instanceof ScriptList list) || !(known instanceof Held held)) {
            return argument;
        }
        List<AbstractValue> items = ResidualGraph.items(held.container());
        List<Object> first = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            first.add(firstPlaces(items.get(i), list.items().get(i)));
        }
        return new ScriptList(list.elementType(), first);
    }

    /** Whether that computes of more elements than samples may have; views and what reads sizes do not. */
    static boolean isHuge(Node node, Object[] arguments) {
        boolean computes = !OperatorTrait.READS_GEOMETRY.of(node)
                && node.schema().returns().stream().anyMatch(result -> result.alias() == null);
        return computes
                && Arrays.stream(arguments)
                        .anyMatch(argument -> argument instanceof Tensor tensor && tensor.numel() > MAX_SAMPLE);
    }

    /**
     * Samples where some argument is not known: the shape of one item of a dimension, or of a list of equals, is that
     * of each, and a number that each element is taken with has no say in the shape.
     */
    Object[] standIn(Node node, List<AbstractValue> inputs, Operator operator, Object[] arguments) {
        if (OperatorTrait.ELEMENTWISE.of(node)
                && node.outputs().size() == 1
                && !node.schema().isMutating()) {
            Object[] numbers = arguments.clone();
            for (int i = 0; i < numbers.length; i++) {
                Type type = node.input(i).type();
                numbers[i] = numbers[i] != UNKNOWN
                        ? numbers[i]
                        : type == Type.Basic.FLOAT ? (Object) 1.0 : type == Type.Basic.INT ? (Object) 1L : UNKNOWN;
            }
            return areUnknown(numbers) ? null : of(node, inputs, operator, numbers);
        }
        // What new tensors are filled with has no say in their shapes.
        int filling = node.schema().indexOf("fill_value");
        if (filling > 0 && arguments[filling] == UNKNOWN) {
            Object[] numbers = arguments.clone();
            numbers[filling] =
                    withNumbers(inputs.get(filling), node.input(filling).type());
            return areUnknown(numbers) || numbers[filling] == null ? null : of(node, inputs, operator, numbers);
        }
        if (node.is("aten::tensor") && inputs.stream().skip(1).allMatch(Known.class::isInstance)) {
            Object[] numbers = arguments.clone();
            numbers[0] = withNumbers(inputs.get(0), node.input(0).type());
            return numbers[0] == null ? null : of(node, inputs, operator, numbers);
        }
        if (OperatorTrait.KEEPS_SHAPE.of(node)
                && node.outputs().size() == 1
                && !node.schema().isMutating()
                && arguments[0] instanceof Tensor tensor
                && tensor.quantization() == null) {
            return new Object[] {tensor.copy(MemoryFormat.CONTIGUOUS)};
        }
        if (node.is("aten::select")
                && AbstractInterpreter.sample(inputs.get(0)) instanceof Tensor tensor
                && inputs.get(1) instanceof Known dimension
                && tensor.rank() > 0) {
            int at = (int) Math.floorMod((Long) dimension.value(), (long) tensor.rank());
            return tensor.size(at) > 0
                    ? new Object[] {
                        tensor.asStrided(without(tensor.sizes(), at), without(tensor.strides(), at), tensor.offset())
                    }
                    : null;
        }
        if (NodeBuilder.isItem(node) && node.output().type() == Type.Basic.TENSOR) {
            List<Object> items = inputs.get(0) instanceof Held held && held.container() instanceof ScriptList list
                    ? list.items().stream()
                            .map(item -> AbstractInterpreter.sample((AbstractValue) item))
                            .collect(Streams.toList())
                    : inputs.get(0) instanceof Open open && open.sample() instanceof ScriptList list
                            ? list.items()
                            : List.of();
            boolean equal = !items.isEmpty()
                    && items.stream()
                            .allMatch(item -> item instanceof Tensor tensor
                                    && items.get(0) instanceof Tensor first
                                    && TensorFacts.of(tensor).equals(TensorFacts.of(first)));
            return equal ? new Object[] {items.get(0)} : null;
        }
        return null;
    }

    /** A number, or lists of numbers, with any in the place of those that are not known; null for something else. */
    private static Object withNumbers(AbstractValue known, Type type) {
        if (known instanceof Known constant) {
            return constant.value();
        }
        if (known instanceof Held held
                && held.container() instanceof ScriptList list
                && type instanceof Type.ListType listed) {
            List<Object> items = list.items().stream()
                    .map(item -> withNumbers((AbstractValue) item, listed.element()))
                    .collect(Streams.toList());
            return items.contains(null) ? null : new ScriptList(list.elementType(), items);
        }
        return type == Type.Basic.INT
                ? (Object) 0L
                : type == Type.Basic.FLOAT ? (Object) 0.0 : type == Type.Basic.BOOL ? (Object) false : null;
    }

    /** The numbers but the one at a place. */
    static int[] without(int[] values, int at) {
        int[] rest = new int[values.length - 1];
        for (int i = 0; i < rest.length; i++) {
            rest[i] = values[i < at ? i : i + 1];
        }
        return rest;
    }

    /** Whether the result's size is given after all. */
    private static boolean countsClasses(Node node, Object[] arguments) {
        return node.is("aten::one_hot") && arguments[1] instanceof Long classes && classes > 0;
    }

    private static boolean indexesByMask(Object indices) {
        return indices instanceof ScriptList list
                && list.items().stream()
                        .anyMatch(item -> item instanceof Tensor tensor
                                && (tensor.dtype() == DType.BOOL || tensor.dtype() == DType.UINT8));
    }

    static Object[] results(Node node, Object result) {
        return node.outputs().size() == 1
                ? new Object[] {result}
                : result instanceof Object[] several
                        ? several
                        : new Object[node.outputs().size()];
    }
}
