package org.torchnnapi.converter.lower;

import java.util.Arrays;
import java.util.List;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import org.torchnnapi.converter.partial.OperatorEvaluator;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Operators that pick elements, put them elsewhere or put zeros between them, at places that are known: the plain
 * implementation is given the elements' numbers, and what it makes of these says where each element comes from.
 */
final class ElementGather implements NodeFamily {
    @Override
    public void register(NodeLoweringTable table) {
        table.plan("aten::diagonal", (node, context) -> {
            int a = dimension(node, context, 2, 0);
            int b = dimension(node, context, 3, 1);
            return behind(node, context, Math.min(a, b));
        });
        table.plan("aten::diag", (node, context) -> behind(node, context, 0));
        table.plan("aten::diag_embed", (node, context) -> {
            int rank = context.facts(node.output()).rank();
            boolean last = Math.min(dimension(node, context, 2, -2), dimension(node, context, 3, -1)) == rank - 2;
            return behind(node, context, last ? rank - 2 : 0);
        });
        table.plan(
                "aten::im2col",
                (node, context) ->
                        behind(node, context, context.facts(node.input(0)).rank() - 2));
        table.plan("aten::repeat_interleave", (node, context) -> {
            if (context.isNone(node.input(2))) {
                return behind(node, context, 0);
            }
            int d = context.dimension(
                    node.input(2), context.facts(node.input(0)).rank());
            return plan(node, context, d, d, 0);
        });
        table.plan(
                "aten::index_copy",
                (node, context) -> context.isConstant(node.input(2))
                        ? alongOne(node, context, 1, 3)
                        : IndexPutLowering.copied(node, context));
    }

    /** The dimension of the larger one of argument and result that an argument names. */
    private static int dimension(Node node, LoweringContext context, int index, int usual) {
        int rank = Math.max(
                context.facts(node.input(0)).rank(),
                context.facts(node.output()).rank());
        return LoweringContext.dimension(
                index < node.inputs().size() ? context.integer(node.input(index)) : usual, rank);
    }

    private static LoweringPlan behind(Node node, LoweringContext context, int first) {
        return plan(node, context, first, context.facts(node.input(0)).rank() - 1, 0);
    }

    /** Of a tensor and of what is written to it, along the dimension that an argument names. */
    static LoweringPlan alongOne(Node node, LoweringContext context, int argument, int source) {
        int d = context.dimension(
                node.input(argument), context.facts(node.input(0)).rank());
        return plan(node, context, d, d, 0, source);
    }

    /**
     * Gathers what a node makes of some of its arguments.
     *
     * @param first the dimensions before it are the result's first ones too, and each place there is by itself
     * @param last the same of those behind it, which are the result's last ones
     * @param sources arguments whose elements go to the result
     */
    static LoweringPlan plan(Node node, LoweringContext context, int first, int last, int... sources) {
        int[] shape = context.facts(node.input(sources[0])).shape();
        int outer = Shapes.product(shape, 0, first);
        int inner = Shapes.product(shape, last + 1, shape.length);
        Object[] arguments = arguments(node, context, sources);
        int[] sizes = new int[sources.length];
        for (int i = 0; i < sources.length; i++) {
            int[] own = context.facts(node.input(sources[i])).shape();
            Arrays.fill(own, 0, Math.min(first, own.length), 1);
            Arrays.fill(own, Math.min(last + 1, own.length), own.length, 1);
            arguments[sources[i]] = numbers(1 + Arrays.stream(sizes).sum(), own);
            sizes[i] = Shapes.product(own, 0, own.length);
        }
        int[] from = from(node, arguments);
        return () -> {
            NnapiBuilder nnapi = context.nnapi();
            OperandType type = OperandTypes.of(context.facts(node.output()).dtype());
            int at = outer == 1 ? 0 : 1;
            List<OperandRef> parts = IntStream.range(0, sources.length)
                    .mapToObj(i -> {
                        int[] dims = {outer, sizes[i], inner};
                        int[] own = Arrays.copyOfRange(dims, outer == 1 ? 1 : 0, inner == 1 ? 2 : 3);
                        return nnapi.cast(context.as(node.input(sources[i]), own), type);
                    })
                    .collect(Streams.toList());
            context.shaped(node.output(), picked(nnapi, nnapi.concatenate(parts, at), at, from));
        };
    }

    /** Elements of one dimension; 0 at places of -1. */
    static OperandRef picked(NnapiBuilder nnapi, OperandRef in, int dimension, int... from) {
        int size = in.dims()[dimension];
        OperandRef all = in;
        if (Arrays.stream(from).anyMatch(i -> i < 0)) {
            int[] after = new int[in.rank()];
            after[dimension] = 1;
            all = nnapi.pad(in, new int[in.rank()], after, 0);
        }
        int[] places = Arrays.stream(from).map(i -> i < 0 ? size : i).toArray();
        return nnapi.gather(all, dimension, nnapi.indices(places));
    }

    /** A node's arguments, all but {@code sources} constant. */
    static Object[] arguments(Node node, LoweringContext context, int... sources) {
        Object[] arguments = new Object[node.inputs().size()];
        for (int i = 0; i < arguments.length; i++) {
            Value input = node.input(i);
            boolean tensors = input.type() instanceof Type.ListType list && list.element() != Type.Basic.INT;
            int index = i;
            arguments[i] = Arrays.stream(sources).anyMatch(source -> source == index)
                    ? null
                    : tensors ? new ScriptList(Type.Basic.TENSOR, context.indices(input)) : context.constant(input);
        }
        return arguments;
    }

    /**
     * The numbers, from 0 on, of the elements that a node makes its result of; -1 where that is 0.
     *
     * @param arguments elements' numbers, from 1 on, in the places of the tensors
     */
    static int[] from(Node node, Object... arguments) {
        Tensor made = (Tensor) OperatorEvaluator.operator(node.schema())
                .orElseThrow(IllegalStateException::new)
                .kernel()
                .call(arguments);
        return Arrays.stream(made.contiguous().toLongArray())
                .mapToInt(i -> Math.toIntExact(i - 1))
                .toArray();
    }

    /** Numbers one after the other. */
    static Tensor numbers(long first, int... shape) {
        return Tensor.of(
                IntStream.range(0, Shapes.product(shape, 0, shape.length))
                        .mapToLong(i -> first + i)
                        .toArray(),
                shape);
    }

    /** Elements of each dimension, from such places of it; null where all stay. */
    static void along(LoweringContext context, Value out, Value in, int[] order, IntFunction<int[]> places) {
        TensorFacts known = context.facts(in);
        int[] dims = Arrays.stream(order).map(known::size).toArray();
        NnapiBuilder nnapi = context.nnapi();
        OperandRef term = context.in(in, order);
        for (int i = 0; i < order.length; i++) {
            int[] from = places.apply(order[i]);
            if (from == null || Arrays.equals(from, LoweringContext.identity(dims[i]))) {
                continue;
            }
            boolean many = order.length > NnapiBuilder.MAX_RANK;
            OperandRef rows = many
                    ? nnapi.reshape(term, Shapes.product(dims, 0, i), dims[i], Shapes.product(dims, i + 1, dims.length))
                    : term;
            term = nnapi.gather(rows, many ? 1 : i, nnapi.indices(from));
            dims[i] = from.length;
        }
        context.shaped(out, term, order);
    }
}
