package org.torchnnapi.converter.free;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
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
import org.torchnnapi.torchscript.value.TorchDevice;

/**
 * Rows that a mask picks, in the way of mixtures of experts, {@code out[m] = f(x[m])}, or {@code i, j = where(m); out.index_add_(0, j, f(x[j]))}, and of
 * graphs that leave out some of their edges, {@code e = cat([e[:, m], loops], 1); out.index_add_(0, e[1], f(x[e[0]]))}. How many there are depends on the
 * mask. Where what is computed of them goes by rows, the same of all rows there could be is made beside it; where rows are put back, those that the
 * mask does not pick are left out. What nobody needs of both goes as dead code.
 */
final class MaskedRows {
    private final Walk walk;
    private final Residue residue;
    private final Calls calls;
    /** By what was made of the rows picked. */
    private final Map<Value, Rows> rows = new IdentityHashMap<>();
    /** By a number of rows picked. */
    private final Map<Value, Picking> counts = new IdentityHashMap<>();
    private final Map<Value, Picking> masks = new IdentityHashMap<>();
    private final Map<List<Object>, Picking> joins = new HashMap<>();

    MaskedRows(Walk walk, Residue residue, Calls calls) {
        this.walk = walk;
        this.residue = residue;
        this.calls = calls;
    }

    /** Which rows are picked; each choice is one object. */
    private static final class Picking {
        private final Open mask;
        private final List<Object> parts;
        private final int count;

        /**
         * @param mask  a tensor of truth values or whole numbers, or null
         * @param parts where there is no mask, what is joined: others, and numbers of rows that are all picked
         * @param count rows there could be
         */
        Picking(Open mask, List<Object> parts, int count) {
            this.mask = mask;
            this.parts = parts;
            this.count = count;
        }
    }

    /**
     * @param all       what belongs to each place of the mask
     * @param picking   which of that is picked
     * @param dimension along which it lies
     */
    private record Rows(Abstract all, Picking picking, int dimension) {
        Tensor sample() {
            return (Tensor) Walk.sample(all);
        }

        /** Counted from the last dimension, as tensors broadcast. */
        int fromEnd() {
            return sample().rank() - dimension;
        }

        /** Whether these are coordinates of the mask. */
        boolean areConstant() {
            return all instanceof Known;
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

    private Picking counted(Abstract known) {
        return known instanceof Open open ? counts.get(open.value()) : null;
    }

    private Picking picking(Open mask) {
        return masks.computeIfAbsent(mask.value(), value -> new Picking(mask, List.of(), count(sizes(mask))));
    }

    private Picking joined(List<Object> parts) {
        int count = parts.stream().mapToInt(part -> part instanceof Picking picking ? picking.count : (Integer) part).sum();
        return joins.computeIfAbsent(parts, p -> new Picking(null, parts, count));
    }

    /**
     * Follows the places that a mask is true at, one tensor for each of its dimensions, and answers for rows what does not depend on their number.
     *
     * @return whether the node was one of those
     */
    boolean answers(Node node, List<Abstract> inputs) {
        Rows of = inputs.isEmpty() ? null : of(inputs.get(0));
        if (of == null) {
            return places(node, inputs);
        }
        Object answer = switch (node.kind()) {
            case "aten::dim" -> (Object) (long) of.sample().rank();
            case "prim::dtype" -> (Object) (long) of.sample().dtype().code();
            case "aten::is_floating_point" -> (Object) of.sample().dtype().isFloating();
            case "aten::is_complex" -> (Object) of.sample().dtype().isComplex();
            case "prim::device" -> TorchDevice.CPU;
            default -> null;
        };
        if (answer != null) {
            walk.define(node.output(), new Known(answer));
            return true;
        }
        if (takesType(node) && made(inputs) < 0 && calls.arguments(inputs.subList(1, inputs.size())) != null) {
            List<Abstract> all = new ArrayList<>(inputs);
            all.set(0, of.all());
            calls.leave(node, all);
            return true;
        }
        if (!node.is("aten::size")) {
            return false;
        }
        if (inputs.size() > 1 && !(inputs.get(1) instanceof Known)) {
            return false;
        }
        if (inputs.size() > 1) {
            walk.define(node.output(), size(of, inputs.get(0), dimension(((Known) inputs.get(1)).value(), of.sample().rank())));
            return true;
        }
        ScriptList sizes = new ScriptList(Type.Basic.INT);
        for (int d = 0; d < of.sample().rank(); d++) {
            sizes.items().add(size(of, inputs.get(0), d));
        }
        walk.define(node.output(), new Held(sizes, node.output().type(), node, residue.current()));
        return true;
    }

    /** Whether a node takes only a type from its first argument. */
    private static boolean takesType(Node node) {
        return switch (node.kind()) {
            case "aten::new_zeros", "aten::new_ones", "aten::new_full", "aten::new_empty" -> true;
            default -> false;
        };
    }

    /** Whole numbers may be divided by 0 where the mask is false. */
    private static boolean divides(Node node) {
        return switch (node.kind()) {
            case "aten::div", "aten::floor_divide", "aten::remainder", "aten::fmod", "aten::pow" -> true;
            default -> false;
        };
    }

    private Abstract size(Rows of, Abstract picked, long dimension) {
        if (dimension != of.dimension()) {
            return new Known((long) of.sample().size((int) dimension));
        }
        Value made = residue.call("aten::size.int", Type.Basic.INT, residue.value(picked), residue.constant(dimension, null));
        counts.put(made, of.picking());
        return walk.open(made, null);
    }

    private boolean places(Node node, List<Abstract> inputs) {
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
            rows.put(item, new Rows(new Known(coordinates(sizes, d)), picking((Open) inputs.get(0)), 0));
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

    /** What a mask of neighbouring dimensions picks of a tensor, or the places that it is true at. */
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
            return new Rows(new Known(Tensor.of(all, count(sizes), sizes.length)), picking((Open) inputs.get(0)), 0);
        }
        if (!node.is("aten::index") || !(inputs.get(1) instanceof Held held) || !(Walk.sample(inputs.get(0)) instanceof Tensor from) || walk.isWritten(node.input(0))) {
            return null;
        }
        List<Abstract> items = Residue.items(held.container());
        int at = 0;
        while (at < items.size() && isNone(items.get(at))) {
            at++;
        }
        Abstract mask = at < items.size() && items.subList(at + 1, items.size()).stream().allMatch(MaskedRows::isNone) ? items.get(at) : null;
        int[] sizes = mask == null ? null : sizes(mask);
        if (sizes == null || ((Tensor) Walk.sample(mask)).dtype() != DType.BOOL || from.rank() < at + sizes.length
            || !Arrays.equals(Arrays.copyOfRange(from.sizes(), at, at + sizes.length), sizes)) {
            return null;
        }
        return new Rows(reshaped(inputs.get(0), from, flat(from.sizes(), at, sizes.length)), picking((Open) mask), at);
    }

    private static boolean isNone(Abstract known) {
        return known instanceof Known constant && constant.value() == null;
    }

    private static int[] flat(int[] sizes, int from, int many) {
        int[] flat = new int[sizes.length - many + 1];
        System.arraycopy(sizes, 0, flat, 0, from);
        flat[from] = count(Arrays.copyOfRange(sizes, from, from + many));
        System.arraycopy(sizes, from + many, flat, from + 1, flat.length - from - 1);
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
        boolean joins = node.is("aten::cat") || node.is("aten::stack");
        Set<Picking> pickings = new LinkedHashSet<>();
        List<Abstract> all = new ArrayList<>();
        boolean picks = node.is("aten::index") || node.is("aten::index_select") || node.is("aten::embedding");
        for (int i = 0; i < inputs.size(); i++) {
            Abstract input = inputs.get(i);
            boolean list = input instanceof Held held && held.container() instanceof ScriptList;
            List<Abstract> items = list ? Residue.items(((Held) input).container()) : List.of(input);
            List<Object> whole = new ArrayList<>();
            boolean any = false;
            for (Abstract item : items) {
                Rows own = of(item);
                Picking size = counted(item);
                if (own != null) {
                    pickings.add(own.picking());
                } else if (size != null) {
                    pickings.add(size);
                }
                any |= own != null || size != null;
                whole.add(own != null ? picks && i > 0 ? safe(own) : own.all() : size != null ? new Known((long) size.count) : item);
            }
            Held held = list ? (Held) input : null;
            all.add(!any ? input : list ? new Held(new ScriptList(((ScriptList) held.container()).elementType(), whole), held.type(), held.site(), residue.current())
                : (Abstract) whole.get(0));
        }
        Object[] arguments = pickings.isEmpty() || pickings.size() > 1 && !joins ? null : calls.arguments(all);
        if (arguments == null) {
            return null;
        }
        Object result;
        try {
            result = operator.kernel().call(arguments);
        } catch (RuntimeException unfit) {
            return null;
        }
        if (!(result instanceof Tensor sample) || sample.rank() == 0) {
            return null;
        }
        Picking picking = pickings.iterator().next();
        int dimension = -1;
        boolean appended = node.is("aten::cat") && inputs.get(0) instanceof Held list && arguments[1] instanceof Long
            && Residue.items(list.container()).stream().anyMatch(item -> of(item) != null && of(item).dimension() == dimension(arguments[1], of(item).sample().rank()));
        if (appended) {
            picking = appended(Residue.items(((Held) inputs.get(0)).container()), (int) dimension(arguments[1], sample.rank()));
            dimension = picking == null ? -1 : (int) dimension(arguments[1], sample.rank());
        } else if (pickings.size() == 1) {
            dimension = rowsOf(node, inputs, arguments, sample);
        }
        if (dimension < 0 || sample.size(dimension) != picking.count) {
            return null;
        }
        if (all.stream().allMatch(Known.class::isInstance)) {
            return new Rows(new Known(sample), picking, dimension);
        }
        Node made = residue.copy(node, all.stream().map(residue::value).collect(Streams.toList()));
        return new Rows(walk.open(made.output(), sample.copy(MemoryFormat.CONTIGUOUS)), picking, dimension);
    }

    /** Rows with others behind them, or with what is picked in any case; null where the dimension is another one. */
    private Picking appended(List<Abstract> items, int dimension) {
        List<Object> parts = new ArrayList<>();
        for (Abstract item : items) {
            Rows own = of(item);
            if (own == null ? !(Walk.sample(item) instanceof Tensor) : own.dimension() != dimension) {
                return null;
            }
            parts.add(own != null ? own.picking() : (Object) ((Tensor) Walk.sample(item)).size(dimension));
        }
        return joined(parts);
    }

    private static long dimension(Object argument, int rank) {
        return Math.floorMod((Long) argument, (long) Math.max(1, rank));
    }

    /** Along which dimension the result has rows, each made of the same row of what is picked and of nothing else that is; -1 if it has none. */
    private int rowsOf(Node node, List<Abstract> inputs, Object[] arguments, Tensor result) {
        Rows first = of(inputs.get(0));
        int rank = arguments[0] instanceof Tensor tensor ? tensor.rank() : 0;
        boolean alone = first != null && inputs.stream().skip(1).allMatch(input -> of(input) == null);
        int own = first == null ? -1 : first.dimension();
        switch (node.kind()) {
            case "aten::linear", "aten::matmul", "aten::mm":
                return alone && first.fromEnd() > 1 && arguments[1] instanceof Tensor weight && weight.rank() <= 2 ? own : -1;
            case "aten::addmm":
                return of(inputs.get(1)) != null && first == null && of(inputs.get(2)) == null && rank <= 1 && of(inputs.get(1)).dimension() == 0 ? 0 : -1;
            case "aten::softmax", "aten::log_softmax":
                return alone && arguments[1] instanceof Long && dimension(arguments[1], rank) != own ? own : -1;
            case "aten::select":
                return alone && arguments[1] instanceof Long && dimension(arguments[1], rank) != own ? own - (dimension(arguments[1], rank) < own ? 1 : 0) : -1;
            case "aten::slice":
                return alone && arguments[1] instanceof Long && (dimension(arguments[1], rank) != own || isWhole(arguments)) ? own : -1;
            case "aten::unsqueeze":
                return alone && arguments[1] instanceof Long ? own + (dimension(arguments[1], rank + 1) <= own ? 1 : 0) : -1;
            case "aten::squeeze":
                return alone && arguments.length == 2 && arguments[1] instanceof Long && dimension(arguments[1], rank) != own
                    ? own - (result.rank() < rank && dimension(arguments[1], rank) < own ? 1 : 0) : -1;
            case "aten::t":
                return alone && rank == 2 ? 1 - own : -1;
            case "aten::transpose":
                return !alone ? -1 : dimension(arguments[1], rank) == own ? (int) dimension(arguments[2], rank) : dimension(arguments[2], rank) == own
                    ? (int) dimension(arguments[1], rank) : own;
            case "aten::permute":
                return alone ? Arrays.stream(((ScriptList) arguments[1]).toLongs()).map(d -> dimension(d, rank)).boxed().collect(Streams.toList()).indexOf((long) own) : -1;
            case "aten::sum", "aten::mean", "aten::amax", "aten::amin":
                return alone ? reduced(own, rank, arguments, result) : -1;
            case "aten::layer_norm":
                return alone && arguments[1] instanceof ScriptList sizes && sizes.items().size() < first.fromEnd() ? own : -1;
            case "aten::batch_norm":
                return alone && Boolean.FALSE.equals(arguments[5]) && own != 1 ? own : -1;
            case "aten::view", "aten::reshape", "aten::flatten":
                return alone ? viewed(node, first, inputs, result) : -1;
            case "aten::expand":
                return alone && result.rank() - first.fromEnd() >= 0 && isOpenSize(inputs.get(1), result.rank() - first.fromEnd()) ? result.rank() - first.fromEnd() : -1;
            case "aten::expand_as":
                return first != null && of(inputs.get(1)) != null && first.fromEnd() == of(inputs.get(1)).fromEnd() ? of(inputs.get(1)).dimension() : -1;
            case "aten::ones", "aten::zeros", "aten::full", "aten::new_ones", "aten::new_zeros", "aten::new_full":
                return made(inputs);
            case "aten::ones_like", "aten::zeros_like", "aten::full_like", "aten::to", "aten::contiguous", "aten::clone", "aten::detach", "aten::alias", "aten::type_as":
                return alone ? own : -1;
            case "aten::cat", "aten::stack":
                return stacked(node, inputs, arguments);
            case "aten::index":
                return first == null && inputs.get(1) instanceof Held held ? pickedAt(Residue.items(held.container())) : -1;
            case "aten::index_select":
                return first == null && arguments[1] instanceof Long && arePlaces(inputs.get(2)) ? (int) dimension(arguments[1], rank) : -1;
            case "aten::embedding":
                return first == null && of(inputs.get(1)) != null ? of(inputs.get(1)).dimension() : -1;
            default:
                return OperatorTrait.ELEMENTWISE.of(node) ? broadcast(node, inputs, arguments, result) : -1;
        }
    }

    /** Whether a slice is of everything, however much that is. */
    private static boolean isWhole(Object[] slice) {
        return (slice[2] == null || slice[2].equals(0L)) && (slice[3] == null || slice[3].equals(Long.MAX_VALUE)) && slice[4].equals(1L);
    }

    /** Where rows go that are reduced along other dimensions; -1 where it is along their own. */
    private static int reduced(int own, int rank, Object[] arguments, Tensor result) {
        if (arguments.length < 3 || !(arguments[1] instanceof ScriptList list) || list.size() == 0) {
            return -1;
        }
        long[] gone = Arrays.stream(list.toLongs()).map(d -> dimension(d, rank)).toArray();
        boolean whole = Arrays.stream(gone).anyMatch(d -> d == own);
        return whole ? -1 : result.rank() == rank ? own : own - (int) Arrays.stream(gone).filter(d -> d < own).count();
    }

    /** Where rows go in a view of other sizes, the one that holds them being left to be told by the others, or their number. */
    private int viewed(Node node, Rows first, List<Abstract> inputs, Tensor result) {
        long before = count(Arrays.copyOf(first.sample().sizes(), first.dimension()));
        int at = 0;
        for (long outer = 1; at < result.rank(); at++) {
            if (outer == before && result.size(at) == first.picking().count && (node.is("aten::flatten") || isOpenSize(inputs.get(1), at))) {
                return at;
            }
            outer *= result.size(at);
        }
        return -1;
    }

    /** Whether a size of a list is -1 or a number of rows. */
    private boolean isOpenSize(Abstract list, int at) {
        List<Abstract> items = list instanceof Held held && held.container() instanceof ScriptList ? Residue.items(held.container()) : List.of();
        return at < items.size() && (counted(items.get(at)) != null || items.get(at) instanceof Known known && Long.valueOf(-1).equals(known.value()));
    }

    /** Where a list of sizes has a number of rows, once; -1 where it does not. */
    private int made(List<Abstract> inputs) {
        int at = -1;
        for (Abstract input : inputs) {
            List<Abstract> items = input instanceof Held held && held.container() instanceof ScriptList ? Residue.items(held.container()) : List.of();
            for (int i = 0; i < items.size(); i++) {
                if (counted(items.get(i)) != null) {
                    if (at >= 0) {
                        return -1;
                    }
                    at = i;
                }
            }
        }
        return at;
    }

    private int stacked(Node node, List<Abstract> inputs, Object[] arguments) {
        if (!(arguments[0] instanceof ScriptList list) || !(inputs.get(0) instanceof Held held) || !(arguments[1] instanceof Long)) {
            return -1;
        }
        List<Abstract> items = Residue.items(held.container());
        Rows first = of(items.get(0));
        if (first == null || items.stream().anyMatch(item -> of(item) == null || of(item).fromEnd() != first.fromEnd())) {
            return -1;
        }
        int rank = ((Tensor) list.items().get(0)).rank();
        if (node.is("aten::stack")) {
            return first.dimension() + (dimension(arguments[1], rank + 1) <= first.dimension() ? 1 : 0);
        }
        return dimension(arguments[1], rank) != first.dimension() ? first.dimension() : -1;
    }

    /** Where rows lie that places beside each other pick, all places being of rows; -1 where some are not. */
    private int pickedAt(List<Abstract> items) {
        int from = 0;
        while (from < items.size() && isNone(items.get(from))) {
            from++;
        }
        int to = items.size();
        while (to > from && isNone(items.get(to - 1))) {
            to--;
        }
        return from < to && items.subList(from, to).stream().allMatch(this::arePlaces) ? from : -1;
    }

    private boolean arePlaces(Abstract known) {
        Rows own = of(known);
        return own != null && own.sample().rank() == 1 && own.sample().dtype() == DType.INT64;
    }

    /** Places of all rows, the first one for those that are not picked: theirs may lie anywhere. */
    private Abstract safe(Rows places) {
        return places.sample().dtype() != DType.INT64 || places.areConstant() ? places.all() : walk.open(chosen(places, null), Tensor.zeros(DType.INT64, places.sample().sizes()));
    }

    /** Where the result has rows; -1 where what is no row is not the same for each of them. */
    private int broadcast(Node node, List<Abstract> inputs, Object[] arguments, Tensor result) {
        boolean divides = divides(node);
        int fromEnd = inputs.stream().map(this::of).filter(Objects::nonNull).mapToInt(Rows::fromEnd).findFirst().orElse(0);
        for (int i = 0; i < arguments.length; i++) {
            Rows own = of(inputs.get(i));
            boolean zeros = divides && own != null && i > 0 && !own.areConstant() && own.sample().dtype().isIntegral();
            int rank = arguments[i] instanceof Tensor tensor ? tensor.rank() : 0;
            boolean fits = own != null ? own.fromEnd() == fromEnd && !zeros : rank < fromEnd || ((Tensor) arguments[i]).size(rank - fromEnd) == 1;
            if (!fits) {
                return -1;
            }
        }
        return result.rank() - fromEnd;
    }

    /**
     * Rows that are put back where they were picked, or added or put elsewhere, or added up.
     *
     * @return whether it was that
     */
    boolean putBack(Node node, List<Abstract> inputs) {
        if ((node.is("aten::sum") || node.is("aten::mean")) && of(inputs.get(0)) != null) {
            return summed(node, inputs, of(inputs.get(0)));
        }
        if (inputs.isEmpty() || node.inputs().isEmpty() || walk.isWritten(node.input(0)) || !(Walk.sample(inputs.get(0)) instanceof Tensor into)) {
            return false;
        }
        return switch (node.kind()) {
            case "aten::index_add", "aten::scatter_add" -> added(node, inputs, into);
            case "aten::scatter_reduce", "aten::scatter" -> scattered(node, inputs, into);
            case "aten::index_put" -> written(node, inputs, into) || strewn(node, inputs, into);
            default -> false;
        };
    }

    private boolean summed(Node node, List<Abstract> inputs, Rows of) {
        boolean known = inputs.stream().skip(1).allMatch(input -> calls.arguments(List.of(input)) != null);
        boolean own = inputs.size() <= 2 || inputs.get(1) instanceof Held held && Residue.items(held.container()).stream()
            .anyMatch(d -> d instanceof Known constant && constant.value() instanceof Long at && dimension(at, of.sample().rank()) == of.dimension());
        if (!known || !own) {
            return false;
        }
        List<Abstract> all = new ArrayList<>(inputs);
        Abstract counted = walk.open(chosen(of, null), of.sample());
        all.set(0, counted);
        calls.leave(node, all);
        if (node.is("aten::mean")) {
            // The mean of all, zeros among them, is too small by the part that is picked; of no rows it is 0 / 0 in any case.
            Abstract picked = picks(of.picking());
            Value real = residue.call("aten::to.dtype", Type.Basic.TENSOR, residue.value(picked), residue.constant((long) of.sample().dtype().code(), null),
                residue.constant(false, null), residue.constant(false, null), residue.constant(null, null));
            walk.open(real, Tensor.zeros(of.sample().dtype(), of.picking().count));
            Value part = residue.call("aten::mean", Type.Basic.TENSOR, real, residue.constant(null, null));
            walk.open(part, Tensor.zeros(of.sample().dtype()));
            Tensor sample = (Tensor) Walk.sample(walk.of(node.output()));
            Value made = residue.call("aten::div.Tensor", Type.Basic.TENSOR, residue.value(walk.of(node.output())), part);
            walk.define(node.output(), walk.open(made, sample.copy(MemoryFormat.CONTIGUOUS)));
        }
        return true;
    }

    private boolean added(Node node, List<Abstract> inputs, Tensor into) {
        Rows places = of(inputs.get(2));
        Rows values = of(inputs.get(3));
        boolean fits = places != null && values != null && places.picking() == values.picking() && inputs.get(1) instanceof Known dimension
            && dimension(dimension.value(), into.rank()) == values.dimension() && values.sample().rank() == into.rank() && places.sample().dtype() == DType.INT64
            && (node.is("aten::index_add") ? places.sample().rank() == 1 : Arrays.equals(places.sample().sizes(), values.sample().sizes()));
        if (!fits) {
            return false;
        }
        List<Value> arguments = new ArrayList<>();
        inputs.forEach(input -> arguments.add(residue.value(input)));
        arguments.set(2, residue.value(safe(places)));
        arguments.set(3, chosen(values, null));
        Node made = residue.copy(node, arguments);
        walk.define(node.output(), walk.open(made.output(), into.copy(MemoryFormat.CONTIGUOUS)));
        return true;
    }

    /** Rows that are not picked go to a place behind the others, which is cut off again. */
    private boolean scattered(Node node, List<Abstract> inputs, Tensor into) {
        Rows places = of(inputs.get(2));
        Rows values = of(inputs.get(3));
        boolean fits = places != null && (values == null ? node.input(3).type() != Type.Basic.TENSOR : places.picking() == values.picking()
            && Arrays.equals(places.sample().sizes(), values.sample().sizes())) && inputs.get(1) instanceof Known dimension
            && dimension(dimension.value(), into.rank()) == places.dimension() && places.sample().rank() == into.rank() && places.sample().dtype() == DType.INT64;
        return fits && behind(node, inputs, into, places.dimension(), places, values);
    }

    private boolean strewn(Node node, List<Abstract> inputs, Tensor into) {
        List<Abstract> items = inputs.get(1) instanceof Held held && held.container() instanceof ScriptList list ? Residue.items(list) : List.of();
        Rows values = of(inputs.get(2));
        boolean fits = items.size() == 1 && arePlaces(items.get(0)) && values != null && values.picking() == of(items.get(0)).picking() && values.dimension() == 0
            && values.sample().rank() == into.rank() && values.sample().dtype() == into.dtype();
        return fits && behind(node, inputs, into, 0, of(items.get(0)), values);
    }

    private boolean behind(Node node, List<Abstract> inputs, Tensor into, int dimension, Rows places, Rows values) {
        int size = into.size(dimension);
        int[] one = into.sizes().clone();
        one[dimension] = 1;
        int[] longer = into.sizes().clone();
        longer[dimension] = size + 1;
        ScriptList parts = new ScriptList(Type.Basic.TENSOR, List.of(inputs.get(0), new Known(Tensor.zeros(into.dtype(), one))));
        Value wide = residue.call("aten::cat", Type.Basic.TENSOR, residue.value(new Held(parts, Type.list(Type.Basic.TENSOR), node, residue.current())),
            residue.constant((long) dimension, null));
        walk.open(wide, Tensor.zeros(into.dtype(), longer));
        int[] ones = new int[places.sample().rank()];
        Arrays.fill(ones, 1);
        Tensor last = Tensor.of(new long[] {size}, 1).asStrided(ones, ones, 0).copy(MemoryFormat.CONTIGUOUS);
        Abstract at = walk.open(chosen(places, new Known(last)), Tensor.zeros(DType.INT64, places.sample().sizes()));
        List<Value> arguments = new ArrayList<>();
        inputs.forEach(input -> arguments.add(input instanceof Held ? null : residue.value(input)));
        arguments.set(0, wide);
        boolean puts = node.is("aten::index_put");
        arguments.set(puts ? 1 : 2, residue.value(puts ? new Held(new ScriptList(((ScriptList) ((Held) inputs.get(1)).container()).elementType(), List.of(at)),
            node.input(1).type(), node, residue.current()) : at));
        if (values != null) {
            arguments.set(puts ? 2 : 3, residue.value(values.all()));
        }
        Node made = residue.copy(node, arguments);
        walk.open(made.output(), Tensor.zeros(into.dtype(), longer));
        Value cut = residue.call("aten::slice.Tensor", Type.Basic.TENSOR, made.output(), residue.constant((long) dimension, null), residue.constant(0L, null),
            residue.constant((long) size, null), residue.constant(1L, null));
        walk.define(node.output(), walk.open(cut, into.copy(MemoryFormat.CONTIGUOUS)));
        return true;
    }

    private boolean written(Node node, List<Abstract> inputs, Tensor into) {
        List<Abstract> places = inputs.get(1) instanceof Held held && held.container() instanceof ScriptList list ? Residue.items(list) : List.of();
        Rows values = of(inputs.get(2));
        if (places.size() != 1 || values == null || values.dimension() != 0 || values.picking().mask == null || !(inputs.get(3) instanceof Known adds)) {
            return false;
        }
        int[] sizes = sizes(values.picking().mask);
        Rows numbers = of(places.get(0));
        boolean byMask = places.get(0) instanceof Open mask && mask.value() == values.picking().mask.value();
        boolean byNumbers = numbers != null && numbers.picking() == values.picking() && sizes.length == 1 && numbers.areConstant()
            && Arrays.equals(numbers.sample().sizes(), sizes) && Arrays.equals(numbers.sample().toLongArray(), coordinates(sizes, 0).toLongArray());
        int[] flat = into.rank() < sizes.length ? null : flat(into.sizes(), 0, sizes.length);
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

    /** A truth value for each row there could be. */
    private Abstract picks(Picking picking) {
        int[] flat = {picking.count};
        if (picking.mask == null) {
            List<Object> parts = new ArrayList<>();
            for (Object part : picking.parts) {
                parts.add(part instanceof Picking own ? picks(own) : new Known(truths((Integer) part)));
            }
            Value made = residue.call("aten::cat", Type.Basic.TENSOR,
                residue.value(new Held(new ScriptList(Type.Basic.TENSOR, parts), Type.list(Type.Basic.TENSOR), picking, residue.current())), residue.constant(0L, null));
            return walk.open(made, Tensor.zeros(DType.BOOL, flat));
        }
        Tensor mask = (Tensor) picking.mask.sample();
        Abstract own = reshaped(picking.mask, mask, flat);
        if (mask.dtype() == DType.BOOL) {
            return own;
        }
        Value made = residue.call("aten::ne.Scalar", Type.Basic.TENSOR, residue.value(own), residue.constant(0L, null));
        return walk.open(made, Tensor.zeros(DType.BOOL, flat));
    }

    private static Tensor truths(int count) {
        Tensor all = Tensor.zeros(DType.BOOL, count);
        Arrays.fill(all.storage().byteArray(), (byte) 1);
        return all;
    }

    /** The rows that the mask picks, and those of {@code others}, or zeros, in the places of the rest. */
    private Value chosen(Rows values, Abstract others) {
        Tensor sample = values.sample();
        int[] ones = new int[sample.rank()];
        Arrays.fill(ones, 1);
        int[] dims = ones.clone();
        dims[values.dimension()] = values.picking().count;
        Abstract condition = reshaped(picks(values.picking()), Tensor.zeros(DType.BOOL, values.picking().count), dims);
        Value rest = others != null ? residue.value(others) : residue.constant(Tensor.zeros(sample.dtype(), ones), null);
        Value made = residue.call("aten::where.self", Type.Basic.TENSOR, residue.value(condition), residue.value(values.all()), rest);
        walk.open(made, sample);
        return made;
    }
}
