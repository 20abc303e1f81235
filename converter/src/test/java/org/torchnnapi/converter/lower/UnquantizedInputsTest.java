package org.torchnnapi.converter.lower;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;

/** A small number beside a large one is nothing where the layer's input is quantized, and itself where it is not. */
class UnquantizedInputsTest {
    private static final long QINT8 = 12;
    private static final Tensor X = Tensor.of(new float[] {100, 0.01f}, 1, 2);

    private static OperatorKernel kernel(String name) {
        return OperatorRegistry.standard().find(name).kernel();
    }

    private static Object call(String name, Object... arguments) {
        return kernel(name).call(arguments);
    }

    private static Object meant(String name, Object... arguments) {
        String kind = name.replaceFirst("\\..*", "");
        return new UnquantizedInputs().call(new Graph().create(kind), kernel(name), arguments);
    }

    /** Ones for the second of two inputs. */
    private static Object packed(int rows, int columns) {
        float[] weights = new float[rows * columns];
        for (int row = 0; row < rows; row++) {
            weights[row * columns + columns - 1] = 1;
        }
        Object quantized = call("aten::quantize_per_tensor", Tensor.of(weights, rows, columns), 0.5, 0L, QINT8);
        return call("quantized::linear_prepack", quantized, Tensor.of(new float[rows], rows));
    }

    @Test
    void linearLayers() {
        Object weight = packed(1, 2);
        Tensor rounded = (Tensor) call("quantized::linear_dynamic", X, weight, false);
        assertEquals(0, rounded.getDouble(0));
        assertEquals(0.01f, ((Tensor) meant("quantized::linear_dynamic", X, weight, false)).getDouble(0));
        assertEquals(0.01f, ((Tensor) meant("quantized::linear_relu_dynamic", X, weight, false)).getDouble(0));
    }

    @Test
    void recurrentLayers() {
        Tensor none = Tensor.of(new float[4], 4);
        Object params =
                call("quantized::make_quantized_cell_params_dynamic", packed(4, 2), packed(4, 1), none, none, false);
        Tensor zero = Tensor.of(new float[1], 1, 1, 1);
        ScriptList states = new ScriptList(Type.Basic.TENSOR, List.of(zero, zero));
        Object[] arguments = {
            Tensor.of(X.toFloatArray(), 1, 1, 2),
            states,
            new ScriptList(Type.Basic.ANY, List.of(params)),
            true,
            1L,
            0.0,
            false,
            false,
            false,
            null,
            true
        };
        Tensor[] meant = tensors(meant("aten::quantized_lstm.input", arguments));
        Tensor[] rounded = tensors(call("aten::quantized_lstm.input", arguments));
        Tensor ones = Tensor.of(new float[] {0, 1, 0, 1, 0, 1, 0, 1}, 4, 2);
        Tensor hidden = Tensor.of(new float[] {1, 1, 1, 1}, 4, 1);
        Object[] real = arguments.clone();
        real[2] = new ScriptList(Type.Basic.TENSOR, List.of(ones, hidden, none, none));
        Tensor[] expected = tensors(call("aten::lstm.input", Arrays.copyOf(real, 9)));
        assertArrayEquals(expected[0].toFloatArray(), meant[0].toFloatArray(), 1e-6f);
        assertNotEquals(rounded[0].getDouble(0), meant[0].getDouble(0));
    }

    @Test
    void singleSteps() {
        Tensor zero = Tensor.of(new float[1], 1, 1);
        Object[] arguments = {X, zero, packed(1, 2), packed(1, 1), null, null};
        Tensor made = (Tensor) meant("quantized::quantized_rnn_tanh_cell_dynamic", arguments);
        assertEquals(Math.tanh(0.01), made.getDouble(0), 1e-6);
    }

    private static Tensor[] tensors(Object several) {
        return Arrays.stream((Object[]) several).map(Tensor.class::cast).toArray(Tensor[]::new);
    }
}
