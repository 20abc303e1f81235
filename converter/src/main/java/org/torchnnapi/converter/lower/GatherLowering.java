package org.torchnnapi.converter.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.converter.report.Reason;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.operators.packed.EmbeddingParams;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Half;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.CustomObject;

/** Elements and rows that are picked by places, which are constant or computed. */
public final class GatherLowering implements NodeFamily {
    private static final int LOOK_AHEAD = 16;

    @Override
    public void register(NodeLoweringTable table) {
        table.plan("aten::index_select", GatherLowering::indexSelect);
        table.plan("aten::index", GatherLowering::index);
        table.plan("aten::embedding", GatherLowering::embedding);
        for (String bits : new String[] {"byte", "4bit"}) {
            table.plan("quantized::embedding_" + bits, (node, context) -> {
                Reason notPlaces = notPlaces(context, node.input(1));
                return LoweringPlan.unless(
                        notPlaces != null ? notPlaces : notTable(context, node.input(0)),
                        () -> context.shaped(node.output(), packedRows(context, node.input(0), node.input(1))));
            });
        }
        table.plan("aten::gather", GatherLowering::gather);
        table.plan("aten::one_hot", GatherLowering::oneHot);
    }

    /** Whether a tensor of whole numbers is only ever read as places of elements, as which float32 holds it exactly. */
    public static boolean arePlaces(Value value) {
        return arePlaces(value, LOOK_AHEAD);
    }

    private static boolean arePlaces(Value value, int depth) {
        return depth > 0
                && value.isUsed()
                && value.uses().stream().allMatch(use -> {
                    Node user = use.user();
                    return switch (user.kind()) {
                        case "aten::embedding",
                                "aten::embedding_bag",
                                "quantized::embedding_byte",
                                "quantized::embedding_bag_byte",
                                "quantized::embedding_4bit",
                                "quantized::embedding_bag_4bit" -> use.index() == 1;
                        case "aten::index_select",
                                "aten::gather",
                                "aten::scatter",
                                "aten::scatter_add",
                                "aten::index_add" -> use.index() == 2;
                        case "aten::one_hot" -> true;
                        case "prim::ListConstruct" ->
                            user.output().uses().stream()
                                    .allMatch(list -> list.user().is("aten::index"));
                        default ->
                            use.index() == 0
                                    && user.schema() != null
                                    && user.schema().isView()
                                    && arePlaces(user.output(), depth - 1);
                    };
                });
    }

    /** Whether an embedding reads a tensor as places of its rows. */
    public static boolean picksRows(Value.Use use) {
        return use.index() == 1
                && switch (use.user().kind()) {
                    case "aten::embedding",
                            "aten::embedding_bag",
                            "quantized::embedding_byte",
                            "quantized::embedding_4bit" -> true;
                    default -> false;
                };
    }

    /** Why a tensor holds no places; null where it does. */
    private static Reason notPlaces(LoweringContext context, Value value) {
        TensorFacts known = context.facts(value);
        return OperandTypes.isWhole(known.dtype()) ? null : notPlaces(known.toString());
    }

    /** The same of any of the tensors, values or nulls that pick along some dimensions. */
    static Reason notPlaces(LoweringContext context, List<Object> places, int... picked) {
        return Arrays.stream(picked)
                .mapToObj(d -> places.get(d) instanceof Tensor t
                        ? t.dtype()
                        : context.facts((Value) places.get(d)).dtype())
                .filter(dtype -> !OperandTypes.isWhole(dtype))
                .map(dtype -> notPlaces(dtype.torchName()))
                .findFirst()
                .orElse(null);
    }

    private static Reason notPlaces(String found) {
        return new Reason(
                "elements are picked by whole numbers",
                found,
                "int64 or int32",
                "a mask keeps as many elements as are true, which no shape tells");
    }

    /**
     * Places as real numbers, which move and multiply on any device; {@code dims} are theirs, or more of 1 in front.
     */
    static OperandRef real(LoweringContext context, Object places, int... dims) {
        if (places instanceof Tensor tensor) {
            return context.nnapi()
                    .reshape(context.nnapi().floats(floats(tensor), LoweringContext.boxed(tensor.sizes())), dims);
        }
        return context.nnapi()
                .reshape(context.nnapi().cast(context.plain((Value) places), OperandType.TENSOR_FLOAT32), dims);
    }

    private static float[] floats(Tensor tensor) {
        long[] from = tensor.toLongArray();
        float[] out = new float[from.length];
        for (int i = 0; i < out.length; i++) {
            out[i] = from[i];
        }
        return out;
    }

    static OperandRef whole(NnapiBuilder nnapi, OperandRef real) {
        return nnapi.exact(nnapi.cast(real, OperandType.TENSOR_INT32));
    }

    private static LoweringPlan indexSelect(Node node, LoweringContext context) {
        int dimension =
                context.dimension(node.input(1), context.facts(node.input(0)).rank());
        List<Object> places = new ArrayList<>();
        for (int d = 0; d < dimension; d++) {
            places.add(null);
        }
        places.add(context.isConstant(node.input(2)) ? context.tensor(node.input(2)) : node.input(2));
        return pick(node, context, places, false);
    }

    private static LoweringPlan index(Node node, LoweringContext context) {
        return pick(node, context, context.indices(node.input(1)), true);
    }

    /**
     * Picks along the dimensions that have places; those broadcast with each other.
     *
     * @param places a tensor, a value or null for each of the first dimensions
     * @param wraps whether places may count from the end
     */
    private static LoweringPlan pick(Node node, LoweringContext context, List<Object> places, boolean wraps) {
        TensorFacts known = context.facts(node.input(0));
        int[] picked = IntStream.range(0, places.size())
                .filter(d -> places.get(d) != null)
                .toArray();
        if (picked.length == 0) {
            return () -> context.alias(node.output(), node.input(0));
        }
        Reason notPlaces = notPlaces(context, places, picked);
        if (notPlaces != null) {
            return LoweringPlan.refused(notPlaces);
        }
        int[] shape = shape(context, places, picked);
        boolean together = picked[picked.length - 1] - picked[0] == picked.length - 1;
        List<Integer> order = new ArrayList<>(Arrays.stream(picked).boxed().collect(Streams.toList()));
        List<Integer> others = IntStream.range(0, known.rank())
                .filter(d -> !order.contains(d))
                .boxed()
                .collect(Streams.toList());
        order.addAll(together ? others.subList(picked[0], others.size()) : others);
        order.addAll(0, together ? others.subList(0, picked[0]) : List.of());
        int outer = together ? Activations.outer(known, picked[0]) : 1;
        int many = Arrays.stream(picked).map(known::size).reduce(1, Math::multiplyExact);
        boolean constant = Arrays.stream(picked).allMatch(d -> places.get(d) instanceof Tensor);
        return LoweringPlan.unless(constant ? null : unfit(known, shape), () -> {
            NnapiBuilder nnapi = context.nnapi();
            int[] moves = order.stream().mapToInt(d -> d).toArray();
            OperandRef source = together
                    ? context.plain(node.input(0))
                    : Shapes.moved(nnapi, context.plain(node.input(0)), known.shape(), moves);
            OperandRef rows = nnapi.reshape(source, outer, many, Math.toIntExact(known.count() / outer / many));
            context.shaped(node.output(), nnapi.gather(rows, 1, places(context, known, places, picked, shape, wraps)));
        });
    }

    /** What places broadcast to. */
    static int[] shape(LoweringContext context, List<Object> places, int... picked) {
        int[] shape = new int[0];
        for (int d : picked) {
            shape = NnapiBuilder.broadcast(
                    shape,
                    places.get(d) instanceof Tensor t
                            ? t.sizes()
                            : context.facts((Value) places.get(d)).shape());
        }
        return shape;
    }

    /** The places along several dimensions as places along them as one. */
    private static OperandRef places(
            LoweringContext context, TensorFacts known, List<Object> places, int[] picked, int[] shape, boolean wraps) {
        NnapiBuilder nnapi = context.nnapi();
        int count = Arrays.stream(shape).reduce(1, Math::multiplyExact);
        if (Arrays.stream(picked).allMatch(d -> places.get(d) instanceof Tensor)) {
            int[] all = new int[count];
            for (int d : picked) {
                long[] own = expanded((Tensor) places.get(d), shape).toLongArray();
                for (int i = 0; i < count; i++) {
                    all[i] = Math.toIntExact(
                            (long) all[i] * known.size(d) + (own[i] < 0 ? own[i] + known.size(d) : own[i]));
                }
            }
            return nnapi.indices(all);
        }
        return whole(nnapi, flatPlaces(context, known, places, picked, shape, wraps));
    }

    /** Why places of a shape that are computed pick nothing from a tensor; null where they do. */
    static Reason unfit(TensorFacts known, int... shape) {
        return shape.length <= NnapiBuilder.MAX_RANK && known.count() < WholeNumbers.EXACT
                ? null
                : new Reason(
                        "places that are computed have four dimensions at most, and few elements to pick from",
                        Arrays.toString(shape),
                        "less than 2^24 elements");
    }

    /** The same as real numbers, one after the other; some of the places are computed. */
    static OperandRef flatPlaces(
            LoweringContext context, TensorFacts known, List<Object> places, int[] picked, int[] shape, boolean wraps) {
        NnapiBuilder nnapi = context.nnapi();
        int count = Arrays.stream(shape).reduce(1, Math::multiplyExact);
        OperandRef sum = null;
        int rank = Math.max(1, shape.length);
        for (int d : picked) {
            int[] own = places.get(d) instanceof Tensor t
                    ? t.sizes()
                    : context.facts((Value) places.get(d)).shape();
            OperandRef at = real(context, places.get(d), Shapes.widened(rank, own));
            if (wraps) {
                OperandRef below =
                        nnapi.cast(nnapi.test(OperationType.LESS, at, nnapi.number(0)), OperandType.TENSOR_FLOAT32);
                at = nnapi.add(at, nnapi.mul(below, known.size(d)));
            }
            sum = sum == null ? at : nnapi.add(nnapi.mul(sum, known.size(d)), at);
        }
        return nnapi.reshape(Comparisons.full(nnapi, sum, LoweringContext.boxed(shape)), count);
    }

    static Tensor expanded(Tensor tensor, int... shape) {
        int[] strides = new int[shape.length];
        int missing = shape.length - tensor.rank();
        for (int d = 0; d < tensor.rank(); d++) {
            strides[d + missing] = tensor.size(d) == 1 ? 0 : tensor.strides()[d];
        }
        return tensor.asStrided(shape, strides, tensor.offset());
    }

    private static LoweringPlan embedding(Node node, LoweringContext context) {
        return LoweringPlan.unless(
                notPlaces(context, node.input(1)),
                () -> context.shaped(node.output(), rows(context, node.input(0), node.input(1))));
    }

    /** Rows of a table of real numbers, in as many dimensions as come about. */
    static OperandRef rows(LoweringContext context, Value table, Value places) {
        context.requireFloat(table);
        return context.nnapi().gather(context.plain(table), 0, rowPlaces(context, places));
    }

    private static OperandRef rowPlaces(LoweringContext context, Value places) {
        NnapiBuilder nnapi = context.nnapi();
        if (context.isConstant(places)) {
            return nnapi.indices(Arrays.stream(context.tensor(places).toLongArray())
                    .mapToInt(Math::toIntExact)
                    .toArray());
        }
        OperandRef own = nnapi.asList(context.plain(places));
        return own.rank() > 2 ? nnapi.reshape(own, own.count()) : own;
    }

    /** The numbers of a packed table, or null. */
    private static Tensor table(Object packed) {
        return packed instanceof CustomObject object && object.payload() instanceof EmbeddingParams params
                ? params.weight()
                : null;
    }

    /** Why a constant is no packed table; null where it is one. */
    static Reason notTable(LoweringContext context, Value packed) {
        Object constant = context.constant(packed);
        Tensor weight = table(constant);
        return weight != null && weight.quantization() instanceof Quantization.PerChannel && weight.rank() == 2
                ? null
                : new Reason(
                        "tables of whole numbers have a scale a row",
                        String.valueOf(weight == null ? constant : weight),
                        "an embedding of quint8 or quint4x2");
    }

    /**
     * Rows of a table of 8-bit or 4-bit numbers, each of which has a scale and a zero point: the table has 8 bits a
     * number.
     */
    static OperandRef packedRows(LoweringContext context, Value packed, Value places) {
        NnapiBuilder nnapi = context.nnapi();
        Tensor weight = table(context.constant(packed));
        Quantization.PerChannel q = (Quantization.PerChannel) weight.quantization();
        int count = weight.size(0);
        float[] scales = new float[count];
        float[] offsets = new float[count];
        for (int i = 0; i < count; i++) {
            scales[i] = (float) q.scales()[i];
            offsets[i] = (float) (-q.zeroPoints()[i] * q.scales()[i]);
            if (weight.dtype() == DType.QUINT4X2) {
                // PyTorch packs rows of 4 bits with both in half precision.
                scales[i] = Half.toFloat(Half.fromFloat(scales[i]));
                offsets[i] = Half.toFloat(Half.fromFloat(offsets[i]));
            }
        }
        OperandRef at = rowPlaces(context, places);
        OperandRef rows = nnapi.dequantize(nnapi.gather(nnapi.constant(bytes(weight)), 0, at));
        int[] dims = rows.dims().clone();
        dims[dims.length - 1] = 1;
        OperandRef scaled = nnapi.mul(rows, nnapi.reshape(nnapi.gather(nnapi.floats(scales, count, 1), 0, at), dims));
        return nnapi.add(scaled, nnapi.reshape(nnapi.gather(nnapi.floats(offsets, count, 1), 0, at), dims));
    }

    /** The numbers that a tensor stores, as ones of scale 1. */
    private static Tensor bytes(Tensor weight) {
        Tensor dense = weight.contiguous();
        int from = dense.offset();
        byte[] stored = Arrays.copyOfRange(dense.storage().byteArray(), from, from + Math.toIntExact(dense.numel()));
        return Tensor.of(DType.QUINT8, stored, dense.sizes()).withQuantization(new Quantization.PerTensor(1, 0));
    }

    /** One element for each place along a dimension, whose other places are those of the place itself. */
    private static LoweringPlan gather(Node node, LoweringContext context) {
        TensorFacts known = context.facts(node.input(0));
        TensorFacts to = context.facts(node.output());
        Value index = node.input(2);
        if (notPlaces(context, index) != null) {
            return LoweringPlan.refused(notPlaces(context, index));
        }
        int dimension = context.dimension(node.input(1), known.rank());
        int count = Math.toIntExact(to.count());
        if (known.count() >= WholeNumbers.EXACT) {
            return LoweringPlan.refused("few elements are picked from", known.toString(), "less than 2^24 elements");
        }
        return () -> {
            float[] base = new float[count];
            int[] at = new int[to.rank()];
            for (int i = 0; i < count; i++) {
                long place = 0;
                for (int d = 0; d < at.length; d++) {
                    place = place * known.size(d) + (d == dimension ? 0 : at[d]);
                }
                base[i] = place;
                for (int d = at.length - 1; d >= 0 && ++at[d] == to.size(d); d--) {
                    at[d] = 0;
                }
            }
            NnapiBuilder nnapi = context.nnapi();
            OperandRef places = real(context, context.isConstant(index) ? context.tensor(index) : index, count);
            OperandRef sum = nnapi.add(
                    nnapi.mul(places, known.rank() == 0 ? 1 : Activations.inner(known, dimension)),
                    nnapi.floats(base, count));
            context.shaped(
                    node.output(),
                    nnapi.gather(context.as(node.input(0), Math.toIntExact(known.count())), 0, whole(nnapi, sum)));
        };
    }

    private static LoweringPlan oneHot(Node node, LoweringContext context) {
        TensorFacts to = context.facts(node.output());
        if (to.rank() > NnapiBuilder.MAX_RANK) {
            return LoweringPlan.refused(
                    "classes are told apart in four dimensions at most", to.toString(), "rank 4 or less");
        }
        return () -> {
            int[] dims = to.shape();
            dims[dims.length - 1] = 1;
            OperandRef places = real(context, node.input(0), dims);
            context.define(
                    node.output(),
                    context.nnapi()
                            .cast(hits(context.nnapi(), places, to.size(to.rank() - 1)), OperandType.TENSOR_INT32));
        };
    }

    /** Where places, whose last dimension is 1, are 0, 1, .. {@code count}. */
    static OperandRef hits(NnapiBuilder nnapi, OperandRef places, int count) {
        return nnapi.test(OperationType.EQUAL, places, nnapi.iota(0, count));
    }

    /** Whether a node's argument is a tensor rather than a number. */
    static boolean isTensor(LoweringContext context, Value value) {
        return value.type() == Type.Basic.TENSOR
                && !(context.isConstant(value) && !(context.constant(value) instanceof Tensor));
    }
}
