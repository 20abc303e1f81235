package org.torchnnapi.converter.partial;

import java.util.List;
import org.torchnnapi.converter.partial.AbstractValue.Held;
import org.torchnnapi.converter.partial.AbstractValue.Known;
import org.torchnnapi.converter.partial.PickedRows.Rows;
import org.torchnnapi.operators.AxisMap;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.torchscript.ir.FunctionSchema;
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
     *
     * @param arguments with all rows there could be
     */
    int of(Operator operator, List<AbstractValue> inputs, Object[] arguments) {
        AxisMap map = AxisMap.of(operator, arguments);
        if (map == null || mayDivideByZero(operator.schema(), inputs)) {
            return -1;
        }
        FunctionSchema schema = operator.schema();
        int sizes = Math.max(schema.indexOf("size"), schema.indexOf("shape"));
        int at = -1;
        for (int i = 0; i < inputs.size(); i++) {
            List<AbstractValue> items = items(inputs.get(i));
            for (int item = 0; item < items.size(); item++) {
                Rows own = rows.of(items.get(item));
                boolean counted = rows.counted(items.get(item)) != null;
                if (own == null && !counted) {
                    continue;
                }
                // A number of rows that says anything but how many the result has is another one when others are
                // picked.
                int to = own != null
                        ? map.following(i, isList(inputs.get(i)) ? item : -1, own.dimension())
                        : i == sizes ? item : -1;
                if (to < 0 || at >= 0 && at != to) {
                    return -1;
                }
                at = to;
            }
        }
        return at >= 0 && !isOtherwiseAlong(map, at, inputs) && (sizes < 0 || isOpenSize(inputs.get(sizes), at))
                ? at
                : -1;
    }

    private static boolean isList(AbstractValue value) {
        return value instanceof Held held && held.container() instanceof ScriptList;
    }

    private static List<AbstractValue> items(AbstractValue value) {
        return isList(value) ? ResidualGraph.items(((Held) value).container()) : List.of(value);
    }

    /** Whether something that is no row differs from row to row. */
    private boolean isOtherwiseAlong(AxisMap map, int dimension, List<AbstractValue> inputs) {
        for (AxisMap.Operand operand : map.operands()) {
            AbstractValue input = items(inputs.get(operand.argument())).get(Math.max(0, operand.item()));
            boolean along = operand.axes().stream()
                    .anyMatch(axis -> axis.dimension() == dimension && axis.role() != AxisMap.Role.BROADCAST);
            if (along && rows.of(input) == null) {
                return true;
            }
        }
        return false;
    }

    /** Whether a size of a list is -1 or a number of rows. */
    private boolean isOpenSize(AbstractValue list, int at) {
        List<AbstractValue> items = isList(list) ? items(list) : List.of();
        return at < items.size()
                && (rows.counted(items.get(at)) != null
                        || items.get(at) instanceof Known known
                                && Long.valueOf(-1).equals(known.value()));
    }

    /** Whether there is a list of sizes with a number of rows. */
    boolean isMade(List<AbstractValue> inputs) {
        return inputs.stream()
                .filter(RowDimensions::isList)
                .anyMatch(list -> items(list).stream().anyMatch(item -> rows.counted(item) != null));
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
}
