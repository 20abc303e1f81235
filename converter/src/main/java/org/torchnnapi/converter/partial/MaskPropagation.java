package org.torchnnapi.converter.partial;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.torchnnapi.converter.partial.AbstractValue.Held;
import org.torchnnapi.converter.partial.AbstractValue.Known;
import org.torchnnapi.converter.partial.AbstractValue.Open;
import org.torchnnapi.converter.partial.PickedRows.Picking;
import org.torchnnapi.converter.partial.PickedRows.Rows;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Rows that a mask picks, in the way of mixtures of experts, {@code out[m] = f(x[m])}, or {@code i, j = where(m);
 * out.index_add_(0, j, f(x[j]))}, and of graphs that leave out some of their edges, {@code e = cat([e[:, m], loops],
 * 1); out.index_add_(0, e[1], f(x[e[0]]))}, and of slices whose bounds are elements of tensors ({@link DynamicSlices}).
 * How many there are depends on the mask. Where what is computed of them goes by rows, the same of all rows there could
 * be is made beside it; where rows are put back, those that the mask does not pick are left out. What nobody needs of
 * both goes as dead code.
 */
public final class MaskPropagation {
    private final AbstractInterpreter interpreter;
    private final ResidualGraph residual;
    private final OperatorEvaluator evaluator;
    private final PickedRows rows;
    private final ScatterElimination putBack;
    private final DynamicSlices slices;

    MaskPropagation(
            AbstractInterpreter interpreter,
            ResidualGraph residual,
            OperatorEvaluator evaluator,
            ElementNumbers numbers) {
        this.interpreter = interpreter;
        this.residual = residual;
        this.evaluator = evaluator;
        rows = new PickedRows(interpreter, residual);
        putBack = new ScatterElimination(interpreter, residual, evaluator, rows);
        slices = new DynamicSlices(interpreter, residual, evaluator, rows, numbers);
    }

    PickedRows rows() {
        return rows;
    }

    /**
     * Follows the places that a mask is true at, one tensor for each of its dimensions, and answers for rows what does
     * not depend on their number.
     *
     * @return whether the node was one of those
     */
    boolean answers(Node node, List<AbstractValue> inputs) {
        if (slices.visit(node, inputs)) {
            return true;
        }
        Rows of = inputs.isEmpty() ? null : rows.of(inputs.get(0));
        if (of == null) {
            return places(node, inputs);
        }
        if (OperatorTrait.READS_KIND.of(node)) {
            interpreter.define(node.output(), SampleEvaluator.kind(node, of.sample()));
            return true;
        }
        if (OperatorTrait.FILLS.of(node)
                && inputs.stream().noneMatch(this::isMade)
                && SampleEvaluator.arguments(inputs.subList(1, inputs.size())) != null) {
            evaluator.residualize(node, inputs, 0, of.all());
            return true;
        }
        if (!NodeBuilder.isSize(node)) {
            return false;
        }
        if (inputs.size() > 1 && !(inputs.get(1) instanceof Known)) {
            return false;
        }
        if (inputs.size() > 1) {
            interpreter.define(
                    node.output(),
                    size(
                            of,
                            inputs.get(0),
                            PickedRows.dimension(
                                    ((Known) inputs.get(1)).value(), of.sample().rank())));
            return true;
        }
        ScriptList sizes = new ScriptList(Type.Basic.INT);
        for (int d = 0; d < of.sample().rank(); d++) {
            sizes.items().add(size(of, inputs.get(0), d));
        }
        interpreter.hold(node, sizes);
        return true;
    }

    private AbstractValue size(Rows of, AbstractValue picked, long dimension) {
        if (dimension != of.dimension()) {
            return new Known((long) of.sample().size((int) dimension));
        }
        Value early = evaluator.openRows().number(picked);
        Value made = early != null ? early : residual.size(picked, dimension);
        rows.number(made, of.picking());
        return interpreter.open(made, null);
    }

    private boolean places(Node node, List<AbstractValue> inputs) {
        boolean asks = OperatorTrait.FINDS_PLACES.of(node) && node.output().type() != Type.Basic.TENSOR;
        int[] sizes = asks ? PickedRows.sizes(inputs.get(0)) : null;
        if (sizes == null || interpreter.isWritten(node.input(0))) {
            return false;
        }
        Node made = residual.copy(node, List.of(residual.value(inputs.get(0))));
        List<Value> parts = residual.unpack(made.output(), sizes.length);
        ScriptList items = new ScriptList(Type.Basic.TENSOR);
        for (int d = 0; d < sizes.length; d++) {
            rows.put(
                    parts.get(d),
                    new Rows(new Known(PickedRows.coordinates(sizes, d)), rows.picking((Open) inputs.get(0)), 0));
            items.items().add(interpreter.open(parts.get(d), null));
        }
        interpreter.hold(node, items);
        return true;
    }

    /** Makes of all rows what a node, which was just left, makes of those picked. */
    void follow(Node node, List<AbstractValue> inputs, Operator operator) {
        boolean plain = node.outputs().size() == 1
                && interpreter.of(node.output()) instanceof Open made
                && made.sample() == null
                && node.output().type() == Type.Basic.TENSOR
                && !node.schema().isMutating()
                && !Effects.hasSideEffects(node)
                && !Effects.isRandom(node)
                && !interpreter.isWritten(node.output());
        Rows found = !plain ? null : picked(node, inputs);
        found = plain && found == null ? narrowed(node, inputs) : found;
        found = plain && found == null ? computed(node, inputs, operator) : found;
        if (found != null) {
            rows.put(((Open) interpreter.of(node.output())).value(), found);
        }
    }

    /** What a mask of neighbouring dimensions picks of a tensor, or the places that it is true at. */
    private Rows picked(Node node, List<AbstractValue> inputs) {
        if (OperatorTrait.FINDS_PLACES.of(node)
                && PickedRows.sizes(inputs.get(0)) != null
                && !interpreter.isWritten(node.input(0))) {
            int[] sizes = PickedRows.sizes(inputs.get(0));
            long[] all = new long[PickedRows.count(sizes) * sizes.length];
            for (int d = 0; d < sizes.length; d++) {
                long[] own = PickedRows.coordinates(sizes, d).toLongArray();
                for (int i = 0; i < own.length; i++) {
                    all[i * sizes.length + d] = own[i];
                }
            }
            return new Rows(
                    new Known(Tensor.of(all, PickedRows.count(sizes), sizes.length)),
                    rows.picking((Open) inputs.get(0)),
                    0);
        }
        if (!node.is("aten::index")
                || !(inputs.get(1) instanceof Held held)
                || !(AbstractInterpreter.sample(inputs.get(0)) instanceof Tensor from)
                || interpreter.isWritten(node.input(0))) {
            return null;
        }
        List<AbstractValue> items = ResidualGraph.items(held.container());
        int at = 0;
        while (at < items.size() && AbstractValue.isNone(items.get(at))) {
            at++;
        }
        AbstractValue mask = at < items.size()
                        && items.subList(at + 1, items.size()).stream().allMatch(AbstractValue::isNone)
                ? items.get(at)
                : null;
        int[] sizes = mask == null ? null : PickedRows.sizes(mask);
        if (sizes == null
                || ((Tensor) AbstractInterpreter.sample(mask)).dtype() != DType.BOOL
                || from.rank() < at + sizes.length
                || !Arrays.equals(Arrays.copyOfRange(from.sizes(), at, at + sizes.length), sizes)) {
            return null;
        }
        return new Rows(
                rows.reshaped(inputs.get(0), from, PickedRows.flat(from.sizes(), at, sizes.length)),
                rows.picking((Open) mask),
                at);
    }

    /** What a mask that is made of rows picks of these rows, or rows of which it replaces some. */
    private Rows narrowed(Node node, List<AbstractValue> inputs) {
        boolean puts = node.is("aten::index_put");
        Rows from = puts || node.is("aten::index") ? rows.of(inputs.get(0)) : null;
        List<AbstractValue> items =
                from != null && inputs.get(1) instanceof Held held ? ResidualGraph.items(held.container()) : List.of();
        Rows mask = from != null
                        && items.size() == from.dimension() + 1
                        && items.subList(0, from.dimension()).stream().allMatch(AbstractValue::isNone)
                ? rows.of(items.get(from.dimension()))
                : null;
        if (mask == null
                || mask.picking() != from.picking()
                || mask.sample().dtype() != DType.BOOL
                || mask.sample().rank() != 1
                || interpreter.isWritten(node.input(0))) {
            return null;
        }
        Picking both = rows.within(((Open) items.get(from.dimension())).value(), mask);
        if (!puts) {
            return new Rows(from.all(), both, from.dimension());
        }
        Rows values = rows.of(inputs.get(2));
        if (values == null
                || values.picking() != both
                || values.dimension() != from.dimension()
                || values.sample().rank() != from.sample().rank()
                || values.sample().dtype() != from.sample().dtype()
                || !(inputs.get(3) instanceof Known adds)
                || Boolean.TRUE.equals(adds.value())) {
            return null;
        }
        return new Rows(
                interpreter.open(rows.chosen(values, from.all()), from.sample().copy(MemoryFormat.CONTIGUOUS)),
                from.picking(),
                from.dimension());
    }

    /** The same operator of all rows, where it goes by rows; null where it does not, or takes no rows. */
    private Rows computed(Node node, List<AbstractValue> inputs, Operator operator) {
        boolean joins = node.is("aten::cat") || node.is("aten::stack");
        Set<Picking> pickings = new LinkedHashSet<>();
        List<AbstractValue> all = new ArrayList<>();
        boolean picks = OperatorTrait.LOOKS_UP.of(node);
        for (int i = 0; i < inputs.size(); i++) {
            AbstractValue input = inputs.get(i);
            List<Object> whole = new ArrayList<>();
            boolean any = false;
            for (AbstractValue item : items(input)) {
                Rows own = rows.of(item);
                Picking size = rows.counted(item);
                if (own != null) {
                    pickings.add(own.picking());
                } else if (size != null) {
                    pickings.add(size);
                }
                any |= own != null || size != null;
                whole.add(
                        own != null
                                ? picks && i > 0 ? rows.safe(own) : own.all()
                                : size != null ? new Known((long) size.count) : item);
            }
            all.add(
                    !any
                            ? input
                            : isList(input) && input instanceof Held held
                                    ? new Held(
                                            new ScriptList(((ScriptList) held.container()).elementType(), whole),
                                            held.type(),
                                            held.site(),
                                            residual.current())
                                    : (AbstractValue) whole.get(0));
        }
        Object[] arguments =
                pickings.isEmpty() || pickings.size() > 1 && !joins ? null : SampleEvaluator.arguments(all);
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
        boolean appended = node.is("aten::cat")
                && inputs.get(0) instanceof Held list
                && arguments[1] instanceof Long
                && ResidualGraph.items(list.container()).stream()
                        .anyMatch(item -> rows.of(item) != null
                                && rows.of(item).dimension()
                                        == PickedRows.dimension(
                                                arguments[1],
                                                rows.of(item).sample().rank()));
        if (appended) {
            picking = appended(ResidualGraph.items(((Held) inputs.get(0)).container()), (int)
                    PickedRows.dimension(arguments[1], sample.rank()));
            dimension = picking == null ? -1 : (int) PickedRows.dimension(arguments[1], sample.rank());
        } else if (pickings.size() == 1) {
            int[][] along = inputs.stream()
                    .map(input -> items(input).stream().mapToInt(rows::along).toArray())
                    .toArray(int[][]::new);
            dimension = mayDivideByZero(operator.schema(), inputs) ? -1 : RowDimensions.of(operator, arguments, along);
        }
        if (dimension < 0 || sample.size(dimension) != picking.count) {
            return null;
        }
        if (all.stream().allMatch(Known.class::isInstance)) {
            return new Rows(new Known(sample), picking, dimension);
        }
        Node made = residual.copy(node, all.stream().map(residual::value).collect(Streams.toList()));
        return new Rows(interpreter.open(made.output(), sample.copy(MemoryFormat.CONTIGUOUS)), picking, dimension);
    }

    private static boolean isList(AbstractValue value) {
        return value instanceof Held held && held.container() instanceof ScriptList;
    }

    private static List<AbstractValue> items(AbstractValue value) {
        return isList(value) ? ResidualGraph.items(((Held) value).container()) : List.of(value);
    }

    /** Whether a list of sizes has a number of rows. */
    private boolean isMade(AbstractValue sizes) {
        return isList(sizes) && items(sizes).stream().anyMatch(item -> rows.counted(item) != null);
    }

    /** Whole numbers may be divided by 0 where the mask is false. */
    private boolean mayDivideByZero(FunctionSchema schema, List<AbstractValue> inputs) {
        return OperatorTrait.QUOTIENT.of(schema)
                && inputs.stream()
                        .skip(1)
                        .map(rows::of)
                        .anyMatch(own -> own != null
                                && !own.areConstant()
                                && own.sample().dtype().isIntegral());
    }

    /** Rows with others behind them, or with what is picked in any case; null where the dimension is another one. */
    private Picking appended(List<AbstractValue> items, int dimension) {
        List<Object> parts = new ArrayList<>();
        for (AbstractValue item : items) {
            Rows own = rows.of(item);
            if (own == null ? !(AbstractInterpreter.sample(item) instanceof Tensor) : own.dimension() != dimension) {
                return null;
            }
            parts.add(
                    own != null ? own.picking() : (Object) ((Tensor) AbstractInterpreter.sample(item)).size(dimension));
        }
        return rows.joined(parts);
    }

    /** What the graph returns: of rows that a slice takes, the slice of what is made of all. */
    AbstractValue returned(AbstractValue result) {
        return slices.returned(result);
    }

    /**
     * Puts rows back where they were picked, or adds or puts them elsewhere, or adds them up.
     *
     * @return whether the node was that
     */
    boolean putBack(Node node, List<AbstractValue> inputs) {
        return putBack.putBack(node, inputs);
    }
}
