package org.torchnnapi.driver.cpu;

import java.nio.ByteBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/** A step of the LSTMs over bytes against the reference device, to the bit. */
class QuantizedLstmKindsTest {
    private static final int GATES = 4;
    private static final float CELL_SCALE = 1f / 2048;

    private static int tensor(Graphs graph, OperandType type, float scale, int zeroPoint, int... dims) {
        return graph.builder.addOperand(OperandDescriptor.quantized(type, scale, zeroPoint, dims));
    }

    private static int constant(Graphs graph, OperandType type, float scale, int zeroPoint, int... dims) {
        int operand = tensor(graph, type, scale, zeroPoint, dims);
        graph.builder.setOperandValue(operand, graph.data(type, OperationView.product(dims, 0, dims.length)));
        return operand;
    }

    private static int bias(Graphs graph, int count, int limit) {
        int operand = graph.builder.addOperand(OperandDescriptor.quantized(OperandType.TENSOR_INT32, 1e-4f, 0, count));
        graph.builder.setOperandValue(
                operand, graph.random.ints(count, -limit, limit).toArray());
        return operand;
    }

    private static int omitted(Graphs graph, OperandType type) {
        int operand = type == OperandType.TENSOR_INT32
                ? graph.builder.addOperand(OperandDescriptor.tensor(type, 1))
                : tensor(graph, type, 1, 0, 1);
        graph.builder.setOperandValue(operand, (ByteBuffer) null);
        return operand;
    }

    @ParameterizedTest
    @CsvSource({"1, 1, 1, 128", "2, 3, 5, 100", "3, 17, 33, 0", "5, 2, 16, 255", "1, 300, 257, 113"})
    void sixteenBits(int batch, int inputs, int units, int weightsZeroPoint) {
        for (float scale : new float[] {0.002f, 1f / 128}) {
            Graphs graph = new Graphs(batch, OperandType.TENSOR_QUANT8_ASYMM);
            int[] in = new int[15];
            in[0] = tensor(graph, OperandType.TENSOR_QUANT8_ASYMM, 1f / 128, 128, batch, inputs);
            for (int gate = 0; gate < GATES; gate++) {
                in[1 + gate] = constant(graph, OperandType.TENSOR_QUANT8_ASYMM, scale, weightsZeroPoint, units, inputs);
                in[5 + gate] = constant(graph, OperandType.TENSOR_QUANT8_ASYMM, scale, weightsZeroPoint, units, units);
                in[9 + gate] = bias(graph, units, 40_000);
            }
            in[13] = tensor(graph, OperandType.TENSOR_QUANT16_SYMM, CELL_SCALE, 0, batch, units);
            in[14] = tensor(graph, OperandType.TENSOR_QUANT8_ASYMM, 1f / 128, 128, batch, units);
            int[] out = {
                tensor(graph, OperandType.TENSOR_QUANT16_SYMM, CELL_SCALE, 0, batch, units),
                tensor(graph, OperandType.TENSOR_QUANT8_ASYMM, 1f / 128, 128, batch, units)
            };
            graph.builder.addOperation(OperationType.QUANTIZED_16BIT_LSTM, in, out);
            graph.compare(new int[] {in[0], in[13], in[14]}, out);
        }
    }

    /** Each of the layer's extras by itself and with others. */
    @ParameterizedTest
    @CsvSource({
        "1, 1, 1, false, false, false, false",
        "2, 5, 7, false, true, false, false",
        "3, 6, 17, true, false, true, false",
        "2, 33, 20, false, false, false, true",
        "1, 18, 40, true, true, true, true",
        "2, 530, 600, false, true, true, false"
    })
    void eightBits(
            int batch,
            int inputs,
            int units,
            boolean coupled,
            boolean peephole,
            boolean projected,
            boolean normalized) {
        for (float clip : new float[] {0, 0.25f}) {
            Graphs graph = new Graphs(units, OperandType.TENSOR_QUANT8_ASYMM_SIGNED);
            int outputs = projected ? units / 2 + 1 : units;
            int[] in = new int[32];
            in[0] = tensor(graph, OperandType.TENSOR_QUANT8_ASYMM_SIGNED, 0.01f, 3, batch, inputs);
            for (int gate = 0; gate < GATES; gate++) {
                boolean given = gate > 0 || !coupled;
                OperandType weights = OperandType.TENSOR_QUANT8_SYMM;
                in[1 + gate] = given
                        ? constant(graph, weights, 0.003f + gate * 0.001f, 0, units, inputs)
                        : omitted(graph, weights);
                in[5 + gate] = given
                        ? constant(graph, weights, 0.005f - gate * 0.001f, 0, units, outputs)
                        : omitted(graph, weights);
                in[12 + gate] = given
                        ? bias(graph, units, normalized ? 40_000 : 4_000)
                        : omitted(graph, OperandType.TENSOR_INT32);
                in[20 + gate] = given && normalized
                        ? constant(graph, OperandType.TENSOR_QUANT16_SYMM, 1f / 32768, 0, units)
                        : omitted(graph, OperandType.TENSOR_QUANT16_SYMM);
                in[26 + gate] = graph.real(normalized ? 0.002f : 0);
            }
            for (int i = 0; i < 3; i++) {
                boolean given = peephole && (i > 0 || !coupled);
                in[9 + i] = given
                        ? constant(graph, OperandType.TENSOR_QUANT16_SYMM, 1f / 16384, 0, units)
                        : omitted(graph, OperandType.TENSOR_QUANT16_SYMM);
            }
            in[16] = projected
                    ? constant(graph, OperandType.TENSOR_QUANT8_SYMM, 0.004f, 0, outputs, units)
                    : omitted(graph, OperandType.TENSOR_QUANT8_SYMM);
            in[17] = projected && !peephole ? bias(graph, outputs, 3_000) : omitted(graph, OperandType.TENSOR_INT32);
            in[18] = tensor(graph, OperandType.TENSOR_QUANT8_ASYMM_SIGNED, 0.008f, -5, batch, outputs);
            in[19] = tensor(graph, OperandType.TENSOR_QUANT16_SYMM, CELL_SCALE, 0, batch, units);
            in[24] = graph.real(clip);
            in[25] = graph.real(clip);
            in[30] = graph.scalar(-7);
            in[31] = graph.real(0.007f);
            int[] out = {
                tensor(graph, OperandType.TENSOR_QUANT8_ASYMM_SIGNED, 0.008f, -5, batch, outputs),
                tensor(graph, OperandType.TENSOR_QUANT16_SYMM, CELL_SCALE, 0, batch, units),
                tensor(graph, OperandType.TENSOR_QUANT8_ASYMM_SIGNED, 0.008f, -5, batch, outputs)
            };
            graph.builder.addOperation(OperationType.QUANTIZED_LSTM, in, out);
            graph.compare(new int[] {in[0], in[18], in[19]}, out);
        }
    }
}
