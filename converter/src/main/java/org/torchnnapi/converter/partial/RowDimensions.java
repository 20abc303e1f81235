package org.torchnnapi.converter.partial;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.torchnnapi.operators.AxisMap;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Effects;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.value.ScriptList;

/** Along which dimension what is computed of rows whose number elements decide has rows again. */
final class RowDimensions {
    /** The place of what has no rows. */
    static final int NONE = -1;
    /** The place of what is a number of rows. */
    static final int NUMBER = -2;
    /** A number of rows that no other size is. */
    private static final int ROWS = 13;

    private static final Object UNKNOWN = new Object();

    private RowDimensions() {}

    /**
     * Along which dimension the result has rows, each made of the same row of what has rows and of nothing else that
     * has; {@link #NONE} if it has none.
     *
     * @param arguments with some number of rows
     * @param along of each argument, or of each item of a list, along which dimension it has rows
     */
    static int of(Operator operator, Object[] arguments, int[][] along) {
        AxisMap map = AxisMap.of(operator, arguments);
        if (map == null) {
            return NONE;
        }
        FunctionSchema schema = operator.schema();
        int sizes = Math.max(schema.indexOf("size"), schema.indexOf("shape"));
        Set<Integer> found = new HashSet<>();
        for (AxisMap.Operand operand : map.operands()) {
            int own = along[operand.argument()][Math.max(0, operand.item())];
            if (own != NONE) {
                found.add(map.following(operand.argument(), operand.item(), own));
            }
        }
        for (int i = 0; i < along.length; i++) {
            for (int item = 0; item < along[i].length; item++) {
                if (along[i][item] == NUMBER) {
                    // One that says anything but how many the result has is another one for other rows.
                    found.add(i == sizes ? item : NONE);
                }
            }
        }
        int at = found.size() == 1 ? found.iterator().next() : NONE;
        boolean rows = at != NONE
                && !isOtherwiseAlong(map, at, along)
                && (sizes < 0 || isOpenSize(arguments[sizes], along[sizes], at));
        return rows ? at : NONE;
    }

    /** Whether something that has no rows differs from row to row. */
    private static boolean isOtherwiseAlong(AxisMap map, int dimension, int[][] along) {
        return map.operands().stream()
                .anyMatch(operand -> along[operand.argument()][Math.max(0, operand.item())] == NONE
                        && operand.axes().stream()
                                .anyMatch(axis ->
                                        axis.dimension() == dimension && axis.role() != AxisMap.Role.BROADCAST));
    }

    /** Whether a size of a list is -1 or a number of rows. */
    private static boolean isOpenSize(Object sizes, int[] along, int at) {
        return sizes instanceof ScriptList list
                && at < list.size()
                && (along[at] == NUMBER || Long.valueOf(-1).equals(list.items().get(at)));
    }

    /** Whether each row of a node's results, which have rows of one count, is made of the same row of what it takes. */
    static boolean isApart(Node node, PartialEvaluation.Facts facts) {
        RowFacts.Count count = facts.rows().of(node);
        Operator operator = count == null || node.schema() == null
                ? null
                : OperatorEvaluator.operator(node.schema()).orElse(null);
        if (operator == null
                || node.schema().isMutating()
                || Effects.hasSideEffects(node)
                || Effects.isRandom(node)
                || OperatorTrait.DATA_DEPENDENT.of(node)) {
            return false;
        }
        Object[] arguments = new Object[node.inputs().size()];
        int[][] along = new int[arguments.length][];
        for (int i = 0; i < arguments.length; i++) {
            Value input = node.input(i);
            boolean list = input.definition() != null && input.definition().is(Prim.LIST_CONSTRUCT);
            List<Value> values = list ? input.definition().inputs() : List.of(input);
            List<Object> items = new ArrayList<>();
            values.forEach(value -> items.add(sample(value, count, facts)));
            if (items.contains(UNKNOWN)) {
                return false;
            }
            arguments[i] = list ? new ScriptList(((Type.ListType) input.type()).element(), items) : items.get(0);
            along[i] = values.stream()
                    .mapToInt(value ->
                            facts.rows().of(value) != null ? 0 : facts.rows().counted(value) != null ? NUMBER : NONE)
                    .toArray();
        }
        return of(operator, arguments, along) == 0;
    }

    /** What an operator takes where there are some rows of a count; none of another count is known. */
    private static Object sample(Value value, RowFacts.Count count, PartialEvaluation.Facts facts) {
        RowFacts rows = facts.rows().of(value);
        if (rows != null) {
            return rows.count() == count ? Tensor.zeros(rows.dtype(), rows.shape(ROWS)) : UNKNOWN;
        }
        if (facts.rows().counted(value) != null) {
            return facts.rows().counted(value) == count ? (Object) (long) ROWS : UNKNOWN;
        }
        if (Literals.of(value).isPresent()) {
            return Literals.of(value).get().value();
        }
        TensorFacts known = facts.of(value);
        return known == null ? UNKNOWN : Tensor.zeros(known.dtype(), known.shape());
    }
}
