package org.torchnnapi.converter.partial;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.support.Structures;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Tries whether an operator makes each row of its results of the same row of its arguments: what it makes of some rows
 * has to be what it makes of the first ones and of the others, one behind the other. Elements are random, so that sums,
 * orders and statistics over rows show.
 */
final class RowTrial {
    private static final int ROWS = 5;
    private static final int FIRST = 2;
    /** Whole numbers may be places, of which few are everywhere. */
    private static final int PLACES = 4;
    /**
     * Relative to the largest element, as sums of products are added up in other orders; quantizing by the range of all
     * rows errs more.
     */
    private static final double TOLERANCE = 1e-5;

    private final PartialEvaluation.Facts facts;
    private final RowFacts.Count count;
    private final Random random = new Random(17);
    /** Below this are whole numbers. */
    private final int places;

    private RowTrial(PartialEvaluation.Facts facts, RowFacts.Count count, int places) {
        this.facts = facts;
        this.count = count;
        this.places = places;
    }

    /** Of a node whose results have rows of one count. */
    static boolean isApart(Node node, PartialEvaluation.Facts facts) {
        RowFacts.Count count = facts.rows().of(node);
        Operator operator = node.schema() == null
                ? null
                : OperatorEvaluator.operator(node.schema()).orElse(null);
        if (count == null
                || operator == null
                || node.schema().isMutating()
                || Effects.hasSideEffects(node)
                || Effects.isRandom(node)
                || OperatorTrait.DATA_DEPENDENT.of(node)) {
            return false;
        }
        if (node.inputs().stream().noneMatch(facts.rows()::isCounted)
                && (isElementwise(node, facts, count) || isOfImages(node, facts, count))) {
            return true;
        }
        for (int places : new int[] {PLACES, 1}) {
            try {
                return new RowTrial(facts, count, places).agrees(node, operator);
            } catch (RuntimeException unfit) {
                // Places may lie outside of what they are places of: the first one does not.
            }
        }
        return false;
    }

    /** Rows of operands lie along the same dimension, the first, where these have as many as the result. */
    private static boolean isElementwise(Node node, PartialEvaluation.Facts facts, RowFacts.Count count) {
        int rank = facts.rows().of(node.output(0)).row().length;
        boolean rows = false;
        for (Value input : node.inputs()) {
            RowFacts own = facts.rows().of(input);
            if (own != null && (own.count() != count || own.row().length != rank)) {
                return false;
            }
            rows |= own != null;
        }
        return rows && OperatorTrait.ELEMENTWISE.of(node);
    }

    /** Each image of a batch is worked on by itself. */
    private static boolean isOfImages(Node node, PartialEvaluation.Facts facts, RowFacts.Count count) {
        RowFacts images = facts.rows().of(node.input(0));
        return OperatorTrait.SPATIAL.of(node)
                && images != null
                && images.count() == count
                && images.row().length > 1
                && node.inputs().stream().skip(1).allMatch(input -> facts.rows().of(input) == null);
    }

    private boolean agrees(Node node, Operator operator) {
        List<Object> whole = new ArrayList<>();
        for (Value input : node.inputs()) {
            whole.add(argument(input));
        }
        if (whole.stream().noneMatch(RowTrial::hasRows)) {
            return false;
        }
        Object[] all = SampleEvaluator.results(node, call(operator, whole, 0, ROWS));
        Object[] first = SampleEvaluator.results(node, call(operator, whole, 0, FIRST));
        Object[] others = SampleEvaluator.results(node, call(operator, whole, FIRST, ROWS));
        for (int i = 0; i < all.length; i++) {
            Tensor expected = (Tensor) all[i];
            boolean fits = expected.rank() > 0
                    && expected.size(0) == ROWS
                    && isPart(expected, (Tensor) first[i], 0, FIRST)
                    && isPart(expected, (Tensor) others[i], FIRST, ROWS);
            if (!fits) {
                return false;
            }
        }
        return true;
    }

    private static Object call(Operator operator, List<Object> whole, int from, int to) {
        return operator.kernel()
                .call(whole.stream().map(argument -> part(argument, from, to)).toArray());
    }

    private static boolean isPart(Tensor whole, Tensor part, int from, int to) {
        Tensor expected = narrowed(whole, from, to).copy(MemoryFormat.CONTIGUOUS);
        if (!Arrays.equals(expected.sizes(), part.sizes()) || expected.dtype() != part.dtype()) {
            return false;
        }
        Tensor found = part.copy(MemoryFormat.CONTIGUOUS);
        double most = 0;
        for (int i = 0; i < expected.numel(); i++) {
            double element = Math.abs(expected.getDouble(i));
            most = Double.isInfinite(element) || Double.isNaN(element) ? most : Math.max(most, element);
        }
        for (int i = 0; i < expected.numel(); i++) {
            double a = expected.getDouble(i);
            double b = found.getDouble(i);
            if (Double.compare(a, b) != 0 && !(Math.abs(a - b) <= TOLERANCE * most)) {
                return false;
            }
        }
        return true;
    }

    private static Tensor narrowed(Tensor tensor, int from, int to) {
        int[] sizes = tensor.sizes().clone();
        sizes[0] = to - from;
        return tensor.asStrided(sizes, tensor.strides(), tensor.offset() + from * tensor.strides()[0]);
    }

    /** Rows of which a call is given some. */
    private record Rows(Tensor tensor) {}

    /** Stands for their number. */
    private record Number() {}

    private static boolean hasRows(Object argument) {
        return argument instanceof Rows
                || argument instanceof ScriptList list && list.items().stream().anyMatch(RowTrial::hasRows);
    }

    private static Object part(Object argument, int from, int to) {
        if (argument instanceof Number) {
            return (long) (to - from);
        }
        if (argument instanceof Rows rows) {
            return narrowed(rows.tensor(), from, to).copy(MemoryFormat.CONTIGUOUS);
        }
        if (argument instanceof ScriptList list) {
            ScriptList parts = new ScriptList(list.elementType());
            list.items().forEach(item -> parts.items().add(part(item, from, to)));
            return parts;
        }
        return argument;
    }

    private Object argument(Value value) {
        RowFacts rows = facts.rows().of(value);
        if (rows != null) {
            require(rows.count() == count);
            return new Rows(random(rows.of(ROWS)));
        }
        if (facts.rows().counted(value) != null) {
            require(facts.rows().counted(value) == count);
            return new Number();
        }
        if (Literals.of(value).isPresent()) {
            return Literals.of(value).get().value();
        }
        if (facts.of(value) != null) {
            return random(facts.of(value));
        }
        Node made = value.definition();
        require(made != null && made.is(Prim.LIST_CONSTRUCT) && value.type() instanceof Type.ListType);
        List<Object> items = new ArrayList<>();
        for (Value item : made.inputs()) {
            items.add(argument(item));
        }
        return new ScriptList(((Type.ListType) value.type()).element(), items);
    }

    private static void require(boolean known) {
        if (!known) {
            throw new IllegalArgumentException("an argument that is not known");
        }
    }

    private Tensor random(TensorFacts known) {
        require(known.quantization() == null);
        int size = Math.toIntExact(known.count());
        if (known.dtype().isFloating()) {
            require(known.dtype() == DType.FLOAT32);
            float[] values = new float[size];
            for (int i = 0; i < size; i++) {
                values[i] = (float) random.nextGaussian();
            }
            return Tensor.of(values, known.shape());
        }
        require(known.dtype() == DType.INT64 || known.dtype() == DType.INT32 || known.dtype() == DType.BOOL);
        long[] values = new long[size];
        for (int i = 0; i < size; i++) {
            values[i] = random.nextInt(known.dtype() == DType.BOOL ? 2 : places);
        }
        return Structures.cast(Tensor.of(values, known.shape()), known.dtype(), known.shape());
    }
}
