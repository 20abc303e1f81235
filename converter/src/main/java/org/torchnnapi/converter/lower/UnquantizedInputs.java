package org.torchnnapi.converter.lower;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.execution.interp.OperatorHook;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.operators.packed.CellParams;
import org.torchnnapi.operators.packed.LinearParams;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Lets the dynamically quantized layers of a run compute with the numbers that come in, as NNAPI does, which quantizes
 * nothing by what it is. Weights are the numbers that their integers stand for.
 */
public final class UnquantizedInputs implements OperatorHook {
    private static final String CELL = "quantized::quantized_";
    private static final String CELL_END = "_cell_dynamic";

    @Override
    public Object call(Node node, OperatorKernel kernel, Object[] arguments) {
        String kind = node.kind();
        if (kind.startsWith(CELL) && kind.endsWith(CELL_END)) {
            String cell = kind.substring(CELL.length(), kind.length() - CELL_END.length());
            LinearParams input = LinearParams.CLASS.unwrap(arguments, 2);
            LinearParams hidden = LinearParams.CLASS.unwrap(arguments, 3);
            return called(
                    "aten::" + cell + "_cell",
                    arguments[0],
                    arguments[1],
                    Recurrences.real(input.weight()),
                    Recurrences.real(hidden.weight()),
                    input.bias(),
                    hidden.bias());
        }
        return switch (kind) {
            case "quantized::linear_dynamic" -> linear(arguments);
            case "quantized::linear_relu_dynamic" -> called("aten::relu", linear(arguments));
            case "aten::quantized_lstm" -> layers("aten::lstm.input", kernel, arguments);
            case "aten::quantized_gru" -> layers("aten::gru.input", kernel, arguments);
            default -> kernel.call(arguments);
        };
    }

    private static Object called(String operator, Object... arguments) {
        return OperatorRegistry.standard().find(operator).kernel().call(arguments);
    }

    private static Object linear(Object[] arguments) {
        LinearParams params = LinearParams.CLASS.unwrap(arguments, 1);
        return called("aten::linear", arguments[0], Recurrences.real(params.weight()), params.bias());
    }

    /** The layers take as many arguments as those of real numbers, then others; packed sequences stay as they are. */
    private static Object layers(String operator, OperatorKernel kernel, Object[] arguments) {
        int count =
                OperatorRegistry.standard().find(operator).schema().arguments().size();
        if (!(arguments[2] instanceof ScriptList packed) || !isCells(packed)) {
            return kernel.call(arguments);
        }
        List<Object> weights = new ArrayList<>();
        for (Object item : packed.items()) {
            CellParams params = CellParams.CLASS.unwrap(new Object[] {item}, 0);
            weights.add(Recurrences.real(params.input().weight()));
            weights.add(Recurrences.real(params.hidden().weight()));
            weights.add(params.inputBias());
            weights.add(params.hiddenBias());
        }
        Object[] given = new Object[count];
        System.arraycopy(arguments, 0, given, 0, count);
        given[2] = new ScriptList(Type.Basic.TENSOR, weights);
        return called(operator, given);
    }

    private static boolean isCells(ScriptList list) {
        return list.items().stream().noneMatch(Tensor.class::isInstance);
    }
}
