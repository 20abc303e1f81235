package org.torchnnapi.converter.free;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.free.Abstract.Held;
import org.torchnnapi.converter.free.Abstract.Known;
import org.torchnnapi.converter.free.Abstract.Open;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Rows that a mask picks, in the way of mixtures of experts: {@code out[m] = f(x[m])}, or {@code i, j = where(m); out.index_add_(0, j, f(x[j]))}. How many
 * there are depends on the mask. Where what is computed of them goes by rows, the same of all rows there could be is made beside it; where
 * rows are put back, those that the mask does not pick are left out. What nobody needs of both goes as dead code.
 */
final class MaskedRows {
    private final Walk walk;
    private final Residue residue;
    private final Calls calls;
    /** By what was made of the rows picked. */
    private final Map<Value, Rows> rows = new IdentityHashMap<>();

    MaskedRows(Walk walk, Residue residue, Calls calls) {
        this.walk = walk;
        this.residue = residue;
        this.calls = calls;
    }

    /**
     * @param all  what belongs to each place of the mask, row by row
     * @param mask a tensor of truth values or whole numbers
     */
    private record Rows(Abstract all, Open mask) {
        Tensor sample() {
            return (Tensor) Walk.sample(all);
        }
    }

    /** The sizes of a mask of known shape, or null. */
    private static int[] sizes(Abstract mask) {
        return mask instanceof Open open && open.sample() instanceof Tensor tensor && tensor.rank() > 0 && tensor.numel() > 0 ? tensor.sizes() : null;
    }

    private static int count(int... sizes) {
        return Arrays.stream(sizes).reduce(1, Math::multiplyExact);
    }

    private Rows of(Abstract known) {
        return known instanceof Open open ? rows.get(open.value()) : null;
    }

    /**
     * Follows the places that a mask is true at, one tensor for each of its dimensions.
     *
     * @return whether the node asks for them
     */
    boolean places(Node node, List<Abstract> inputs) {
        boolean asks = node.is("aten::where") && inputs.size() == 1 || node.is("aten::nonzero_numpy");
        int[] sizes = asks ? sizes(inputs.get(0)) : null;
        if (sizes == null || walk.isWritten(node.input(0))) {
            return false;
        }
        Node made = residue.copy(node, List.of(residue.value(inputs.get(0))));
        Node unpack = residue.create("prim::ListUnpack").addInput(made.output());
        residue.append(unpack);
        ScriptList items = new ScriptList(Type.Basic.TENSOR);
        for (int d = 0; d < sizes.length; d++) {
            Value item = unpack.addOutput(Type.Basic.TENSOR);
            rows.put(item, new Rows(new Known(coordinates(sizes, d)), (Open) inputs.get(0)));
            items.items().add(walk.open(item, null));
        }
        walk.define(node.output(), new Held(items, node.output().type(), node, residue.current()));
        return true;
    }

    /** Of each place of a mask where it stands along a dimension. */
    private static Tensor coordinates(int[] sizes, int dimension) {
        int behind = count(Arrays.copyOfRange(sizes, dimension + 1, sizes.length));
        long[] places = new long[count(sizes)];
        Arrays.setAll(places, i -> i / behind % sizes[dimension]);
        return Tensor.of(places, places.length);
    }

    /** Makes of all rows what a node, which was just left, makes of those picked. */
    void follow(Node node, List<Abstract> inputs, Operator operator) {
        boolean plain = node.outputs().size() == 1 && walk.of(node.output()) instanceof Open made && made.sample() == null && node.output().type() == Type.Basic.TENSOR
            && !node.schema().isMutating() && !Effects.hasSideEffects(node) && !Effects.isRandom(node) && !walk.isWritten(node.output());
        Rows found = !plain ? null : picked(node, inputs);
        found = plain && found == null ? computed(node, inputs, operator) : found;
        if (found != null) {
            rows.put(((Open) walk.of(node.output())).value(), found);
        }
    }

    /** What a mask of the first dimensions picks of a tensor, or the places that it is true at. */
    private Rows picked(Node node, List<Abstract> inputs) {
        if (node.is("aten::nonzero") && sizes(inputs.get(0)) != null && !walk.isWritten(node.input(0))) {
            int[] sizes = sizes(inputs.get(0));
            long[] all = new long[count(sizes) * sizes.length];
            for (int d = 0; d < sizes.length; d++) {
                long[] own = coordinates(sizes, d).toLongArray();
                for (int i = 0; i < own.length; i++) {
                    all[i * sizes.length + d] = own[i];
                }
            }
            return new Rows(new Known(Tensor.of(all, count(sizes), sizes.length)), (Open) inputs.get(0));
        }
        Abstract mask = node.is("aten::index") && inputs.get(1) instanceof Held held && held.container() instanceof ScriptList list && list.items().size() == 1
            ? (Abstract) list.items().get(0) : null;
        int[] sizes = mask == null ? null : sizes(mask);
        if (sizes == null || ((Tensor) Walk.sample(mask)).dtype() != DType.BOOL || !(Walk.sample(inputs.get(0)) instanceof Tensor from) || walk.isWritten(node.input(0))
            || from.rank() < sizes.length || !Arrays.equals(Arrays.copyOf(from.sizes(), sizes.length), sizes)) {
            return null;
        }
        return new Rows(reshaped(inputs.get(0), from, flat(from.sizes(), sizes.length)), (Open) mask);
    }

    private static int[] flat(int[] sizes, int first) {
        int[] flat = new int[sizes.length - first + 1];
        flat[0] = count(Arrays.copyOf(sizes, first));
        System.arraycopy(sizes, first, flat, 1, flat.length - 1);
        return flat;
    }

    private Abstract reshaped(Abstract known, Tensor sample, int... to) {
        if (Arrays.equals(sample.sizes(), to)) {
            return known;
        }
        ScriptList sizes = new ScriptList(Type.Basic.INT);
        Arrays.stream(to).forEach(size -> sizes.items().add((long) size));
        Value made = residue.call("aten::reshape", Type.Basic.TENSOR, residue.value(known), residue.constant(sizes, null));
        return walk.open(made, Tensor.zeros(sample.dtype(), to));
    }

    /** The same operator of all rows, where it goes by rows; null where it does not, or takes no rows. */
    private Rows computed(Node node, List<Abstract> inputs, Operator operator) {
        Open mask = null;
        List<Abstract> all = new ArrayList<>();
        for (Abstract input : inputs) {
            boolean list = input instanceof Held held && held.container() instanceof ScriptList;
            List<Abstract> items = list ? Residue.items(((Held) input).container()) : List.of(input);
            List<Object> whole = new ArrayList<>();
            boolean any = false;
            for (Abstract item : items) {
                Rows own = of(item);
                if (own != null && mask != null && own.mask().value() != mask.value()) {
                    return null;
                }
                mask = own != null ? own.mask() : mask;
                any |= own != null;
                whole.add(own != null ? own.all() : item);
            }
            Held held = list ? (Held) input : null;
            all.add(!any ? input : list ? new Held(new ScriptList(((ScriptList) held.container()).elementType(), whole), held.type(), held.site(), residue.current())
                : (Abstract) whole.get(0));
        }
        Object[] arguments = mask == null ? null : calls.arguments(all);
        if (arguments == null || !goesByRows(node, inputs, arguments)) {
            return null;
        }
        Object result;
        try {
            result = operator.kernel().call(arguments);
        } catch (RuntimeException unfit) {
            return null;
        }
        if (!(result instanceof Tensor sample) || sample.rank() == 0 || sample.size(0) != count(sizes(mask))) {
            return null;
        }
        if (all.stream().allMatch(Known.class::isInstance)) {
            return new Rows(new Known(sample), mask);
        }
        Node made = residue.copy(node, all.stream().map(residue::value).collect(Streams.toList()));
        return new Rows(walk.open(made.output(), sample.copy(MemoryFormat.CONTIGUOUS)), mask);
    }

    private static long dimension(Object argument, int rank) {
        return Math.floorMod((Long) argument, (long) Math.max(1, rank));
    }

    /** Whether each row of the result is made of the same row of what is picked, and of nothing else that is. */
    private boolean goesByRows(Node node, List<Abstract> inputs, Object[] arguments) {
        boolean first = of(inputs.get(0)) != null;
        int rank = arguments[0] instanceof Tensor tensor ? tensor.rank() : 0;
        boolean alone = first && inputs.stream().skip(1).allMatch(input -> of(input) == null);
        switch (node.kind()) {
            case "aten::linear", "aten::matmul", "aten::mm":
                return alone && rank >= 2 && arguments[1] instanceof Tensor weight && weight.rank() <= 2;
            case "aten::addmm":
                return of(inputs.get(1)) != null && of(inputs.get(0)) == null && of(inputs.get(2)) == null && rank <= 1;
            case "aten::softmax", "aten::log_softmax", "aten::select", "aten::slice":
                return alone && arguments[1] instanceof Long && dimension(arguments[1], rank) > 0;
            case "aten::unsqueeze":
                return arguments[1] instanceof Long && dimension(arguments[1], rank + 1) > 0;
            case "aten::squeeze":
                return arguments.length == 2 && arguments[1] instanceof Long && dimension(arguments[1], rank) > 0;
            case "aten::layer_norm":
                return alone && arguments[1] instanceof ScriptList sizes && sizes.items().size() < rank;
            case "aten::cat":
                return arguments[0] instanceof ScriptList list && inputs.get(0) instanceof Held held && Residue.items(held.container()).stream().allMatch(item -> of(item) != null)
                    && dimension(arguments[1], ((Tensor) list.items().get(0)).rank()) > 0;
            case "aten::index":
                return !first && inputs.get(1) instanceof Held held && Residue.items(held.container()).stream().allMatch(this::arePlaces);
            case "aten::index_select":
                return !first && arguments[1] instanceof Long && dimension(arguments[1], rank) == 0 && arePlaces(inputs.get(2));
            default:
                return OperatorTrait.ELEMENTWISE.of(node) && broadcasts(inputs, arguments);
        }
    }

    /** Whether these are places of the mask itself, which pick from first dimensions. Others may be out of bounds where the mask is false. */
    private boolean arePlaces(Abstract known) {
        Rows own = of(known);
        return own != null && own.all() instanceof Known && own.sample().rank() == 1 && own.sample().dtype() == DType.INT64;
    }

    /** Whether what is no row has the same for each row. Whole numbers may divide by 0 where the mask is false. */
    private boolean broadcasts(List<Abstract> inputs, Object[] arguments) {
        int most = 0;
        for (int i = 0; i < arguments.length; i++) {
            most = of(inputs.get(i)) != null ? Math.max(most, ((Tensor) arguments[i]).rank()) : most;
        }
        for (int i = 0; i < arguments.length; i++) {
            boolean own = of(inputs.get(i)) != null;
            boolean whole = own && !(of(inputs.get(i)).all() instanceof Known) && of(inputs.get(i)).sample().dtype().isIntegral();
            int rank = arguments[i] instanceof Tensor tensor ? tensor.rank() : 0;
            boolean fits = own ? rank == most && !whole : rank < most || rank == 0 || rank == most && ((Tensor) arguments[i]).size(0) == 1;
            if (!fits) {
                return false;
            }
        }
        return true;
    }

    /**
     * Rows that are put back where they were picked, or added there.
     *
     * @return whether it was that
     */
    boolean putBack(Node node, List<Abstract> inputs) {
        boolean adds = node.is("aten::index_add");
        if (!adds && !node.is("aten::index_put") || walk.isWritten(node.input(0)) || !(Walk.sample(inputs.get(0)) instanceof Tensor into)) {
            return false;
        }
        return adds ? added(node, inputs, into) : written(node, inputs, into);
    }

    private boolean added(Node node, List<Abstract> inputs, Tensor into) {
        Rows places = of(inputs.get(2));
        Rows values = of(inputs.get(3));
        boolean fits = arePlaces(inputs.get(2)) && values != null && places.mask().value() == values.mask().value() && inputs.get(1) instanceof Known dimension
            && dimension(dimension.value(), into.rank()) == 0 && values.sample().rank() == into.rank();
        if (!fits) {
            return false;
        }
        List<Value> arguments = new ArrayList<>();
        inputs.forEach(input -> arguments.add(residue.value(input)));
        arguments.set(2, residue.value(places.all()));
        arguments.set(3, chosen(values, null));
        Node made = residue.copy(node, arguments);
        walk.define(node.output(), walk.open(made.output(), into.copy(MemoryFormat.CONTIGUOUS)));
        return true;
    }

    private boolean written(Node node, List<Abstract> inputs, Tensor into) {
        List<Abstract> places = inputs.get(1) instanceof Held held && held.container() instanceof ScriptList list ? Residue.items(list) : List.of();
        Rows values = of(inputs.get(2));
        if (places.size() != 1 || values == null || !(inputs.get(3) instanceof Known adds)) {
            return false;
        }
        int[] sizes = sizes(values.mask());
        Rows numbers = of(places.get(0));
        boolean byMask = places.get(0) instanceof Open mask && mask.value() == values.mask().value();
        boolean byNumbers = numbers != null && numbers.mask().value() == values.mask().value() && sizes.length == 1 && numbers.all() instanceof Known
            && Arrays.equals(numbers.sample().sizes(), sizes) && Arrays.equals(numbers.sample().toLongArray(), coordinates(sizes, 0).toLongArray());
        int[] flat = into.rank() < sizes.length ? null : flat(into.sizes(), sizes.length);
        boolean fits = (byMask || byNumbers) && flat != null && Arrays.equals(Arrays.copyOf(into.sizes(), sizes.length), sizes) && Arrays.equals(flat, values.sample().sizes())
            && values.sample().dtype() == into.dtype();
        if (!fits) {
            return false;
        }
        Abstract before = reshaped(inputs.get(0), into, flat);
        Value made = Boolean.TRUE.equals(adds.value())
            ? residue.call("aten::add.Tensor", Type.Basic.TENSOR, residue.value(before), chosen(values, null), residue.constant(1L, null)) : chosen(values, before);
        Abstract all = walk.open(made, Tensor.zeros(into.dtype(), flat));
        walk.define(node.output(), reshaped(all, Tensor.zeros(into.dtype(), flat), into.sizes()));
        return true;
    }

    /** The rows that the mask picks, and those of {@code others}, or zeros, in the places of the rest. */
    private Value chosen(Rows values, Abstract others) {
        Tensor sample = values.sample();
        Tensor mask = (Tensor) values.mask().sample();
        int[] ones = new int[sample.rank()];
        Arrays.fill(ones, 1);
        int[] dims = ones.clone();
        dims[0] = sample.size(0);
        Abstract flat = reshaped(values.mask(), mask, dims);
        Value condition = residue.value(flat);
        if (mask.dtype() != DType.BOOL) {
            condition = residue.call("aten::ne.Scalar", Type.Basic.TENSOR, condition, residue.constant(0L, null));
            walk.open(condition, Tensor.zeros(DType.BOOL, dims));
        }
        Value rest = others != null ? residue.value(others) : residue.constant(Tensor.zeros(sample.dtype(), ones), null);
        Value made = residue.call("aten::where.self", Type.Basic.TENSOR, condition, residue.value(values.all()), rest);
        walk.open(made, sample);
        return made;
    }
}
