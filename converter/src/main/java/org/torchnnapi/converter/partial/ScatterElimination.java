package org.torchnnapi.converter.partial;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.converter.partial.AbstractValue.Held;
import org.torchnnapi.converter.partial.AbstractValue.Known;
import org.torchnnapi.converter.partial.AbstractValue.Open;
import org.torchnnapi.converter.partial.PickedRows.Rows;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Rows that are put back where they were picked, or added or put elsewhere, or added up: those that the mask does not
 * pick are left out.
 */
final class ScatterElimination {
    private final AbstractInterpreter interpreter;
    private final ResidualGraph residual;
    private final OperatorEvaluator evaluator;
    private final PickedRows rows;

    ScatterElimination(
            AbstractInterpreter interpreter, ResidualGraph residual, OperatorEvaluator evaluator, PickedRows rows) {
        this.interpreter = interpreter;
        this.residual = residual;
        this.evaluator = evaluator;
        this.rows = rows;
    }

    /** Computes a node that does that; returns whether it did. */
    boolean putBack(Node node, List<AbstractValue> inputs) {
        if ((node.is("aten::sum") || node.is("aten::mean")) && rows.of(inputs.get(0)) != null) {
            return summed(node, inputs, rows.of(inputs.get(0)));
        }
        if ((node.is("aten::max") || node.is("aten::min")) && inputs.size() == 1 && rows.of(inputs.get(0)) != null) {
            return extreme(node, rows.of(inputs.get(0)));
        }
        if (inputs.isEmpty()
                || node.inputs().isEmpty()
                || interpreter.isWritten(node.input(0))
                || !(AbstractInterpreter.sample(inputs.get(0)) instanceof Tensor into)) {
            return false;
        }
        return switch (node.kind()) {
            case "aten::index_add", "aten::scatter_add" -> added(node, inputs, into);
            case "aten::scatter_reduce", "aten::scatter" -> scattered(node, inputs, into);
            case "aten::index_put" -> {
                List<AbstractValue> places =
                        inputs.get(1) instanceof Held held && held.container() instanceof ScriptList list
                                ? ResidualGraph.items(list)
                                : List.of();
                yield places.size() == 1
                        && (written(node, inputs.get(0), into, places.get(0), rows.of(inputs.get(2)), inputs.get(3))
                                || strewn(node, inputs, into, places.get(0)));
            }
            case "aten::index_copy" ->
                inputs.get(1) instanceof Known dimension
                        && PickedRows.dimension(dimension.value(), into.rank()) == 0
                        && (written(node, inputs.get(0), into, inputs.get(2), rows.of(inputs.get(3)), new Known(false))
                                || copied(node, inputs, into));
            default -> false;
        };
    }

    private boolean summed(Node node, List<AbstractValue> inputs, Rows of) {
        boolean known = inputs.stream().skip(1).allMatch(input -> SampleEvaluator.arguments(List.of(input)) != null);
        boolean own = inputs.size() <= 2
                || inputs.get(1) instanceof Held held
                        && ResidualGraph.items(held.container()).stream()
                                .anyMatch(d -> d instanceof Known constant
                                        && constant.value() instanceof Long at
                                        && PickedRows.dimension(at, of.sample().rank()) == of.dimension());
        if (!known || !own) {
            return false;
        }
        evaluator.residualize(node, inputs, 0, interpreter.open(rows.chosen(of, null), of.sample()));
        if (node.is("aten::mean")) {
            // The mean of all, zeros among them, is too small by the part that is picked; of no rows it is 0 / 0 in any
            // case.
            AbstractValue picked = rows.picks(of.picking());
            Value real = interpreter.tensor(
                    residual.to(picked, of.sample().dtype()), of.sample().dtype(), of.picking().count);
            Value part = interpreter.tensor(
                    residual.tensor("aten::mean", real, (Object) null),
                    of.sample().dtype());
            Tensor sample = (Tensor) AbstractInterpreter.sample(interpreter.of(node.output()));
            Value made = residual.tensor("aten::div.Tensor", residual.value(interpreter.of(node.output())), part);
            interpreter.define(node.output(), interpreter.open(made, sample.copy(MemoryFormat.CONTIGUOUS)));
        }
        return true;
    }

    /** Of no rows there is no extreme, and PyTorch says so. */
    private boolean extreme(Node node, Rows of) {
        if (!PickedRows.hasRows(of.picking()) || of.sample().dtype() != DType.FLOAT32) {
            return false;
        }
        float beyond = node.is("aten::max") ? Float.NEGATIVE_INFINITY : Float.POSITIVE_INFINITY;
        evaluator.residualize(node, List.of(rows.filled(of, beyond)));
        return true;
    }

    private boolean added(Node node, List<AbstractValue> inputs, Tensor into) {
        Rows places = rows.of(inputs.get(2));
        Rows values = rows.of(inputs.get(3));
        boolean fits = places != null
                && values != null
                && places.picking() == values.picking()
                && inputs.get(1) instanceof Known dimension
                && PickedRows.dimension(dimension.value(), into.rank()) == values.dimension()
                && values.sample().rank() == into.rank()
                && places.sample().dtype() == DType.INT64
                && (node.is("aten::index_add")
                        ? places.sample().rank() == 1
                        : Arrays.equals(places.sample().sizes(), values.sample().sizes()));
        if (!fits) {
            return false;
        }
        List<Value> arguments = new ArrayList<>();
        inputs.forEach(input -> arguments.add(residual.value(input)));
        arguments.set(2, residual.value(rows.safe(places)));
        arguments.set(3, rows.chosen(values, null));
        Node made = residual.copy(node, arguments);
        interpreter.define(node.output(), interpreter.open(made.output(), into.copy(MemoryFormat.CONTIGUOUS)));
        return true;
    }

    /** Rows that are not picked go to a place behind the others, which is cut off again. */
    private boolean scattered(Node node, List<AbstractValue> inputs, Tensor into) {
        Rows places = rows.of(inputs.get(2));
        Rows values = rows.of(inputs.get(3));
        boolean fits = places != null
                && (values == null
                        ? node.input(3).type() != Type.Basic.TENSOR
                        : places.picking() == values.picking()
                                && Arrays.equals(
                                        places.sample().sizes(), values.sample().sizes()))
                && inputs.get(1) instanceof Known dimension
                && PickedRows.dimension(dimension.value(), into.rank()) == places.dimension()
                && places.sample().rank() == into.rank()
                && places.sample().dtype() == DType.INT64;
        return fits && behind(node, inputs, into, places.dimension(), places, values);
    }

    private boolean strewn(Node node, List<AbstractValue> inputs, Tensor into, AbstractValue places) {
        Rows values = rows.of(inputs.get(2));
        return rows.arePlaces(places)
                && go(rows.of(places), values, into)
                && behind(node, inputs, into, 0, rows.of(places), values);
    }

    private boolean copied(Node node, List<AbstractValue> inputs, Tensor into) {
        Rows places = rows.of(inputs.get(2));
        Rows values = rows.of(inputs.get(3));
        return places != null
                && places.sample().rank() == 1
                && places.sample().dtype() == DType.INT64
                && go(places, values, into)
                && behind(node, inputs, into, 0, places, values);
    }

    /** Whether rows of a tensor's own kind are put at places that the same mask picks. */
    private static boolean go(Rows places, Rows values, Tensor into) {
        return values != null
                && values.picking() == places.picking()
                && values.dimension() == 0
                && values.sample().rank() == into.rank()
                && values.sample().dtype() == into.dtype();
    }

    private boolean behind(
            Node node, List<AbstractValue> inputs, Tensor into, int dimension, Rows places, Rows values) {
        int size = into.size(dimension);
        int[] one = into.sizes().clone();
        one[dimension] = 1;
        int[] longer = into.sizes().clone();
        longer[dimension] = size + 1;
        List<Object> parts = List.of(inputs.get(0), new Known(Tensor.zeros(into.dtype(), one)));
        Value wide = interpreter.tensor(
                residual.concatenate(residual.list(Type.Basic.TENSOR, parts), dimension), into.dtype(), longer);
        Tensor last = PickedRows.one(size, places.sample().rank());
        AbstractValue at = interpreter.open(
                rows.chosen(places, new Known(last)),
                Tensor.zeros(DType.INT64, places.sample().sizes()));
        List<Value> arguments = new ArrayList<>();
        inputs.forEach(input -> arguments.add(input instanceof Held ? null : residual.value(input)));
        arguments.set(0, wide);
        boolean puts = node.is("aten::index_put");
        arguments.set(
                puts ? 1 : 2,
                puts
                        ? residual.list(((Type.ListType) node.input(1).type()).element(), List.of(at))
                        : residual.value(at));
        if (values != null) {
            arguments.set(puts ? 2 : 3, residual.value(values.all()));
        }
        Node made = residual.copy(node, arguments);
        interpreter.open(made.output(), Tensor.zeros(into.dtype(), longer));
        Value cut = residual.slice(made.output(), dimension, 0, size);
        interpreter.define(node.output(), interpreter.open(cut, into.copy(MemoryFormat.CONTIGUOUS)));
        return true;
    }

    private boolean written(
            Node node,
            AbstractValue target,
            Tensor into,
            AbstractValue places,
            Rows values,
            AbstractValue accumulates) {
        if (values == null
                || values.dimension() != 0
                || values.picking().mask == null
                || !(accumulates instanceof Known adds)) {
            return false;
        }
        int[] sizes = PickedRows.sizes(values.picking().mask);
        Rows numbers = rows.of(places);
        boolean byMask = places instanceof Open mask
                && mask.value() == values.picking().mask.value();
        boolean byNumbers = numbers != null
                && numbers.picking() == values.picking()
                && sizes.length == 1
                && numbers.areConstant()
                && Arrays.equals(numbers.sample().sizes(), sizes)
                && Arrays.equals(
                        numbers.sample().toLongArray(),
                        PickedRows.coordinates(sizes, 0).toLongArray());
        int[] flat = into.rank() < sizes.length ? null : PickedRows.flat(into.sizes(), 0, sizes.length);
        boolean fits = (byMask || byNumbers)
                && flat != null
                && Arrays.equals(Arrays.copyOf(into.sizes(), sizes.length), sizes)
                && Arrays.equals(flat, values.sample().sizes())
                && values.sample().dtype() == into.dtype();
        if (!fits) {
            return false;
        }
        AbstractValue before = rows.reshaped(target, into, flat);
        Value made = Boolean.TRUE.equals(adds.value())
                ? residual.sum(before, rows.chosen(values, null))
                : rows.chosen(values, before);
        AbstractValue all = interpreter.open(made, Tensor.zeros(into.dtype(), flat));
        interpreter.define(node.output(), rows.reshaped(all, Tensor.zeros(into.dtype(), flat), into.sizes()));
        return true;
    }
}
