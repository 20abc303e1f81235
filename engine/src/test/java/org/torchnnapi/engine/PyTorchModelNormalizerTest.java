package org.torchnnapi.engine;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.nio.FloatBuffer;
import java.nio.ShortBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.SerializedModel;
import org.torchnnapi.tensor.DType;

class PyTorchModelNormalizerTest {
    private static final int RELU = 19;
    private static final int RESHAPE = 22;

    /** One unary operation on operands of this type with three elements. */
    private static SerializedModel relu(OperandType type, float scale) {
        int bits = Float.floatToIntBits(scale);
        return new SerializedModel(
                new int[] {
                    1, 2, 0, 1, 1, 1, type.code(), 1, bits, 0, type.code(), 1, bits, 0, RELU, 1, 1, 3, 3, 0, 1, 0, 1
                },
                List.of());
    }

    @Test
    void legalModelsStayWhatTheyAre() {
        SerializedModel model = relu(OperandType.TENSOR_FLOAT32, 0);
        PyTorchModelNormalizer legalization = PyTorchModelNormalizer.of(model);
        assertSame(model, legalization.legal());
        assertNull(legalization.inputType(0));
    }

    @Test
    void sixteenBitsAreComputedInFloat() {
        PyTorchModelNormalizer legalization = PyTorchModelNormalizer.of(relu(OperandType.TENSOR_QUANT16_SYMM, 0.5f));
        assertEquals(
                OperandType.TENSOR_FLOAT32,
                legalization.legal().decode(false).output(0).type());
        assertEquals(DType.INT16, legalization.outputType(0));
        FloatBuffer real = (FloatBuffer) legalization.input(0, ShortBuffer.wrap(new short[] {-4, 0, 7}));
        assertArrayEquals(new float[] {-2, 0, 3.5f}, real.array());
        ShortBuffer back = (ShortBuffer) legalization.output(0, FloatBuffer.wrap(new float[] {0.25f, 0.75f, 1e9f}));
        assertArrayEquals(new short[] {0, 2, Short.MAX_VALUE}, back.array());
    }

    @Test
    void reshapedInputsLoseDimensions() {
        SerializedModel model = new SerializedModel(
                new int[] {
                    1, 3, 1, 1, 1, 1, 3, 5, 0, 0, 4, 1, 0, 0, 3, 1, 0, 0, 1, 0, 4, RESHAPE, 2, 1, 1, 2, 3, 1, 2, 1, 12,
                    -1, 0, 1, 2, 0, 2
                },
                List.of());
        PyTorchModelNormalizer legalization = PyTorchModelNormalizer.of(model);
        assertArrayEquals(new int[] {1, 2, 3, 1, 2}, legalization.declared(0));
        Model legal = legalization.legal().decode(false);
        assertArrayEquals(new int[] {1, 2, 3, 2}, legal.input(0).descriptor().dimensions());
        assertArrayEquals(new int[] {12}, legal.output(0).descriptor().dimensions());
        assertArrayEquals(new int[] {1, 2, 3, 8}, PyTorchModelNormalizer.sizes(new int[] {1, 2, 3, 4, 2}));
    }

    @Test
    void malformedWordsAreLeftToTheDecoder() {
        SerializedModel model = new SerializedModel(new int[] {1, Integer.MAX_VALUE, 1, 1, 1, 1}, List.of());
        assertSame(model, PyTorchModelNormalizer.of(model).legal());
    }
}
