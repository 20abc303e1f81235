package org.torchnnapi.converter.partial;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.torchnnapi.converter.partial.AbstractValue.Held;
import org.torchnnapi.converter.partial.AbstractValue.Known;
import org.torchnnapi.converter.partial.PickedRows.Rows;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Along which dimension what is computed of rows has rows again: where each is made of the same row of what is picked,
 * and of nothing else that is.
 */
final class RowDimensions {
    private final PickedRows rows;

    RowDimensions(PickedRows rows) {
        this.rows = rows;
    }

    /**
     * Along which dimension the result has rows, each made of the same row of what is picked and of nothing else that
     * is; -1 if it has none.
     */
    int of(Node node, List<AbstractValue> inputs, Object[] arguments, Tensor result) {
        Rows first = rows.of(inputs.get(0));
        int rank = arguments[0] instanceof Tensor tensor ? tensor.rank() : 0;
        boolean alone = first != null && inputs.stream().skip(1).allMatch(input -> rows.of(input) == null);
        int own = first == null ? -1 : first.dimension();
        switch (node.kind()) {
            case "aten::linear", "aten::matmul", "aten::mm":
                return alone && first.fromEnd() > 1 && arguments[1] instanceof Tensor weight && weight.rank() <= 2
                        ? own
                        : -1;
            case "aten::addmm":
                return rows.of(inputs.get(1)) != null
                                && first == null
                                && rows.of(inputs.get(2)) == null
                                && rank <= 1
                                && rows.of(inputs.get(1)).dimension() == 0
                        ? 0
                        : -1;
            case "aten::softmax", "aten::log_softmax":
                return alone && arguments[1] instanceof Long && PickedRows.dimension(arguments[1], rank) != own
                        ? own
                        : -1;
            case "aten::select":
                return alone && arguments[1] instanceof Long && PickedRows.dimension(arguments[1], rank) != own
                        ? own - (PickedRows.dimension(arguments[1], rank) < own ? 1 : 0)
                        : -1;
            case "aten::slice":
                return alone
                                && arguments[1] instanceof Long
                                && (PickedRows.dimension(arguments[1], rank) != own || isWhole(arguments))
                        ? own
                        : -1;
            case "aten::unsqueeze":
                return alone && arguments[1] instanceof Long
                        ? own + (PickedRows.dimension(arguments[1], rank + 1) <= own ? 1 : 0)
                        : -1;
            case "aten::squeeze":
                return alone
                                && arguments.length == 2
                                && arguments[1] instanceof Long
                                && PickedRows.dimension(arguments[1], rank) != own
                        ? own - (result.rank() < rank && PickedRows.dimension(arguments[1], rank) < own ? 1 : 0)
                        : -1;
            case "aten::t":
                return alone && rank == 2 ? 1 - own : -1;
            case "aten::transpose":
                return !alone
                        ? -1
                        : PickedRows.dimension(arguments[1], rank) == own
                                ? (int) PickedRows.dimension(arguments[2], rank)
                                : PickedRows.dimension(arguments[2], rank) == own
                                        ? (int) PickedRows.dimension(arguments[1], rank)
                                        : own;
            case "aten::permute":
                return alone
                        ? Arrays.stream(((ScriptList) arguments[1]).toLongs())
                                .map(d -> PickedRows.dimension(d, rank))
                                .boxed()
                                .collect(Streams.toList())
                                .indexOf((long) own)
                        : -1;
            case "aten::sum", "aten::mean", "aten::amax", "aten::amin":
                return alone ? reduced(own, rank, arguments, result) : -1;
            case "aten::argmax", "aten::argmin":
                return alone && arguments[1] instanceof Long && PickedRows.dimension(arguments[1], rank) != own
                        ? own - (result.rank() < rank && PickedRows.dimension(arguments[1], rank) < own ? 1 : 0)
                        : -1;
            case "aten::layer_norm":
                return alone
                                && arguments[1] instanceof ScriptList sizes
                                && sizes.items().size() < first.fromEnd()
                        ? own
                        : -1;
            case "aten::batch_norm":
                return alone && Boolean.FALSE.equals(arguments[5]) && own != 1 ? own : -1;
            case "aten::view", "aten::reshape", "aten::flatten":
                return alone ? viewed(node, first, inputs, result) : -1;
            case "aten::expand":
                return alone
                                && result.rank() - first.fromEnd() >= 0
                                && isOpenSize(inputs.get(1), result.rank() - first.fromEnd())
                        ? result.rank() - first.fromEnd()
                        : -1;
            case "aten::expand_as":
                return first != null
                                && rows.of(inputs.get(1)) != null
                                && first.fromEnd() == rows.of(inputs.get(1)).fromEnd()
                        ? rows.of(inputs.get(1)).dimension()
                        : -1;
            case "aten::ones", "aten::zeros", "aten::full", "aten::new_ones", "aten::new_zeros", "aten::new_full":
                return made(inputs);
            case "aten::ones_like",
                    "aten::zeros_like",
                    "aten::full_like",
                    "aten::to",
                    "aten::contiguous",
                    "aten::clone",
                    "aten::detach",
                    "aten::alias",
                    "aten::type_as":
                return alone ? own : -1;
            case "aten::cat", "aten::stack":
                return stacked(node, inputs, arguments);
            case "aten::index":
                return first == null && inputs.get(1) instanceof Held held
                        ? pickedAt(ResidualGraph.items(held.container()))
                        : -1;
            case "aten::index_select":
                return first == null && arguments[1] instanceof Long && rows.arePlaces(inputs.get(2))
                        ? (int) PickedRows.dimension(arguments[1], rank)
                        : -1;
            case "aten::embedding":
                return first == null && rows.of(inputs.get(1)) != null
                        ? rows.of(inputs.get(1)).dimension()
                        : -1;
            default:
                return OperatorTrait.ELEMENTWISE.of(node) ? broadcast(node, inputs, arguments, result) : -1;
        }
    }

    /** Whether a slice is of everything, however much that is. */
    private static boolean isWhole(Object[] slice) {
        return (slice[2] == null || slice[2].equals(0L))
                && (slice[3] == null || slice[3].equals(Long.MAX_VALUE))
                && slice[4].equals(1L);
    }

    /** Where rows go that are reduced along other dimensions; -1 where it is along their own. */
    private static int reduced(int own, int rank, Object[] arguments, Tensor result) {
        if (arguments.length < 3 || !(arguments[1] instanceof ScriptList list) || list.size() == 0) {
            return -1;
        }
        long[] gone = Arrays.stream(list.toLongs())
                .map(d -> PickedRows.dimension(d, rank))
                .toArray();
        boolean whole = Arrays.stream(gone).anyMatch(d -> d == own);
        return whole
                ? -1
                : result.rank() == rank
                        ? own
                        : own - (int) Arrays.stream(gone).filter(d -> d < own).count();
    }

    /**
     * Where rows go in a view of other sizes, the one that holds them being left to be told by the others, or their
     * number.
     */
    private int viewed(Node node, Rows first, List<AbstractValue> inputs, Tensor result) {
        long before = PickedRows.count(Arrays.copyOf(first.sample().sizes(), first.dimension()));
        int at = 0;
        for (long outer = 1; at < result.rank(); at++) {
            if (outer == before
                    && result.size(at) == first.picking().count
                    && (node.is("aten::flatten") || isOpenSize(inputs.get(1), at))) {
                return at;
            }
            outer *= result.size(at);
        }
        return -1;
    }

    /** Whether a size of a list is -1 or a number of rows. */
    private boolean isOpenSize(AbstractValue list, int at) {
        List<AbstractValue> items = list instanceof Held held && held.container() instanceof ScriptList
                ? ResidualGraph.items(held.container())
                : List.of();
        return at < items.size()
                && (rows.counted(items.get(at)) != null
                        || items.get(at) instanceof Known known
                                && Long.valueOf(-1).equals(known.value()));
    }

    /** Where a list of sizes has a number of rows, once; -1 where it does not. */
    int made(List<AbstractValue> inputs) {
        int at = -1;
        for (AbstractValue input : inputs) {
            List<AbstractValue> items = input instanceof Held held && held.container() instanceof ScriptList
                    ? ResidualGraph.items(held.container())
                    : List.of();
            for (int i = 0; i < items.size(); i++) {
                if (rows.counted(items.get(i)) != null) {
                    if (at >= 0) {
                        return -1;
                    }
                    at = i;
                }
            }
        }
        return at;
    }

    private int stacked(Node node, List<AbstractValue> inputs, Object[] arguments) {
        if (!(arguments[0] instanceof ScriptList list)
                || !(inputs.get(0) instanceof Held held)
                || !(arguments[1] instanceof Long)) {
            return -1;
        }
        List<AbstractValue> items = ResidualGraph.items(held.container());
        Rows first = rows.of(items.get(0));
        if (first == null
                || items.stream()
                        .anyMatch(item -> rows.of(item) == null || rows.of(item).fromEnd() != first.fromEnd())) {
            return -1;
        }
        int rank = ((Tensor) list.items().get(0)).rank();
        if (node.is("aten::stack")) {
            return first.dimension() + (PickedRows.dimension(arguments[1], rank + 1) <= first.dimension() ? 1 : 0);
        }
        return PickedRows.dimension(arguments[1], rank) != first.dimension() ? first.dimension() : -1;
    }

    /** Where rows lie that places beside each other pick, all places being of rows; -1 where some are not. */
    private int pickedAt(List<AbstractValue> items) {
        int from = 0;
        while (from < items.size() && AbstractValue.isNone(items.get(from))) {
            from++;
        }
        int to = items.size();
        while (to > from && AbstractValue.isNone(items.get(to - 1))) {
            to--;
        }
        return from < to && items.subList(from, to).stream().allMatch(rows::arePlaces) ? from : -1;
    }

    /** Where the result has rows; -1 where what is no row is not the same for each of them. */
    private int broadcast(Node node, List<AbstractValue> inputs, Object[] arguments, Tensor result) {
        boolean divides = divides(node);
        int fromEnd = inputs.stream()
                .map(rows::of)
                .filter(Objects::nonNull)
                .mapToInt(Rows::fromEnd)
                .findFirst()
                .orElse(0);
        for (int i = 0; i < arguments.length; i++) {
            Rows own = rows.of(inputs.get(i));
            boolean zeros = divides
                    && own != null
                    && i > 0
                    && !own.areConstant()
                    && own.sample().dtype().isIntegral();
            int rank = arguments[i] instanceof Tensor tensor ? tensor.rank() : 0;
            boolean fits = own != null
                    ? own.fromEnd() == fromEnd && !zeros
                    : rank < fromEnd || ((Tensor) arguments[i]).size(rank - fromEnd) == 1;
            if (!fits) {
                return -1;
            }
        }
        return result.rank() - fromEnd;
    }

    /** Whole numbers may be divided by 0 where the mask is false. */
    private static boolean divides(Node node) {
        return switch (node.kind()) {
            case "aten::div", "aten::floor_divide", "aten::remainder", "aten::fmod", "aten::pow" -> true;
            default -> false;
        };
    }
}
