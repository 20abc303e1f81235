package org.torchnnapi.benchmarks.nnapi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Random;
import java.util.function.Function;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/** Models of one operation each, with weights at random. */
public enum LayerModels {
    LSTM_128_STEPS_20(maker -> maker.lstm(128, false)),
    LSTM_256_STEPS_20(maker -> maker.lstm(256, false)),
    LSTM_512_STEPS_20(maker -> maker.lstm(512, false)),
    /** With peepholes, projection and layer normalization. */
    LSTM_OF_ALL_256_STEPS_20(maker -> maker.lstm(256, true)),
    /** One step. */
    LSTM_OF_16_BITS_512(maker -> maker.sixteenBits(512)),
    /** One step. */
    LSTM_OF_8_BITS_512(maker -> maker.eightBits(512)),
    RNN_256_STEPS_20(maker -> maker.rnn(256)),
    SVDF_1024_MEMORY_10(Maker::svdf),
    ROI_ALIGN_100_BOXES_7X7X256(maker -> maker.regions(true)),
    ROI_POOLING_100_BOXES_7X7X256(maker -> maker.regions(false)),
    ADD_12(Maker::sum),
    RELU_12(maker -> maker.unary(OperationType.RELU)),
    LOGISTIC_12(maker -> maker.unary(OperationType.LOGISTIC));

    private static final int STEPS = 20;

    private final Function<Maker, Model> model;

    LayerModels(Function<Maker, Model> model) {
        this.model = model;
    }

    Model model() {
        return model.apply(new Maker());
    }

    /** Of one model. */
    private static final class Maker {
        private final ModelBuilder builder = new ModelBuilder();
        private final Random random = new Random(1);

        private int tensor(int... dims) {
            return builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, dims));
        }

        private int weights(int... dims) {
            OperandDescriptor descriptor = OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, dims);
            int operand = builder.addOperand(descriptor);
            ByteBuffer values = bytes((int) descriptor.byteCount());
            while (values.hasRemaining()) {
                values.putFloat((random.nextFloat() - 0.5f) / 8);
            }
            builder.setOperandValue(operand, values.flip());
            return operand;
        }

        private static ByteBuffer bytes(int count) {
            return ByteBuffer.allocateDirect(count).order(ByteOrder.LITTLE_ENDIAN);
        }

        private int weightsIf(boolean wanted, int... dims) {
            if (wanted) {
                return weights(dims);
            }
            int operand = tensor(dims);
            builder.setOperandValue(operand, (ByteBuffer) null);
            return operand;
        }

        private int scalar(int value) {
            int operand = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
            builder.setOperandValue(operand, value);
            return operand;
        }

        private int real(float value) {
            int operand = builder.addOperand(OperandDescriptor.scalar(OperandType.FLOAT32));
            builder.setOperandValue(operand, value);
            return operand;
        }

        private int flag(boolean value) {
            int operand = builder.addOperand(OperandDescriptor.scalar(OperandType.BOOL));
            builder.setOperandValue(operand, value);
            return operand;
        }

        private Model finish(OperationType operation, int[] inputs, int[] variables, int... outputs) {
            builder.addOperation(operation, inputs, outputs);
            builder.identifyInputsAndOutputs(variables, outputs);
            return builder.finish();
        }

        Model lstm(int units, boolean all) {
            int[] inputs = new int[28];
            inputs[0] = tensor(STEPS, 1, units);
            for (int gate = 0; gate < 4; gate++) {
                inputs[1 + gate] = weights(units, units);
                inputs[5 + gate] = weights(units, units);
                inputs[12 + gate] = weights(units);
                inputs[24 + gate] = weightsIf(all, units);
            }
            for (int gate = 0; gate < 3; gate++) {
                inputs[9 + gate] = weightsIf(all, units);
            }
            inputs[16] = weightsIf(all, units, units);
            inputs[17] = weightsIf(all, units);
            inputs[18] = tensor(1, units);
            inputs[19] = tensor(1, units);
            inputs[20] = scalar(4);
            inputs[21] = real(0);
            inputs[22] = real(0);
            inputs[23] = flag(true);
            return finish(
                    OperationType.UNIDIRECTIONAL_SEQUENCE_LSTM,
                    inputs,
                    new int[] {inputs[0], inputs[18], inputs[19]},
                    tensor(STEPS, 1, units));
        }

        private int numbers(OperandType type, float scale, int zeroPoint, int... dims) {
            return builder.addOperand(OperandDescriptor.quantized(type, scale, zeroPoint, dims));
        }

        /** Of random bytes, two of which make a number of 16 bits. */
        private int constant(OperandType type, float scale, int zeroPoint, int... dims) {
            OperandDescriptor descriptor = OperandDescriptor.quantized(type, scale, zeroPoint, dims);
            int operand = builder.addOperand(descriptor);
            byte[] values = new byte[(int) descriptor.byteCount()];
            random.nextBytes(values);
            builder.setOperandValue(operand, ByteBuffer.wrap(values));
            return operand;
        }

        private int bias(int count) {
            int operand = builder.addOperand(OperandDescriptor.quantized(OperandType.TENSOR_INT32, 1e-4f, 0, count));
            builder.setOperandValue(operand, random.ints(count, -4000, 4000).toArray());
            return operand;
        }

        Model sixteenBits(int units) {
            int[] inputs = new int[15];
            inputs[0] = numbers(OperandType.TENSOR_QUANT8_ASYMM, 1f / 128, 128, 1, units);
            for (int i = 1; i < 9; i++) {
                inputs[i] = constant(OperandType.TENSOR_QUANT8_ASYMM, 1f / 512, 120, units, units);
            }
            for (int gate = 0; gate < 4; gate++) {
                inputs[9 + gate] = bias(units);
            }
            inputs[13] = numbers(OperandType.TENSOR_QUANT16_SYMM, 1f / 2048, 0, 1, units);
            inputs[14] = numbers(OperandType.TENSOR_QUANT8_ASYMM, 1f / 128, 128, 1, units);
            return finish(
                    OperationType.QUANTIZED_16BIT_LSTM,
                    inputs,
                    new int[] {inputs[0], inputs[13], inputs[14]},
                    numbers(OperandType.TENSOR_QUANT16_SYMM, 1f / 2048, 0, 1, units),
                    numbers(OperandType.TENSOR_QUANT8_ASYMM, 1f / 128, 128, 1, units));
        }

        /** With peepholes, projection and layer normalization. */
        Model eightBits(int units) {
            int[] inputs = new int[32];
            OperandType bytes = OperandType.TENSOR_QUANT8_ASYMM_SIGNED;
            inputs[0] = numbers(bytes, 0.01f, 0, 1, units);
            for (int i = 1; i < 9; i++) {
                inputs[i] = constant(OperandType.TENSOR_QUANT8_SYMM, 0.002f, 0, units, units);
            }
            for (int i = 9; i < 12; i++) {
                inputs[i] = constant(OperandType.TENSOR_QUANT16_SYMM, 1f / 16384, 0, units);
            }
            for (int gate = 0; gate < 4; gate++) {
                inputs[12 + gate] = bias(units);
                inputs[20 + gate] = constant(OperandType.TENSOR_QUANT16_SYMM, 1f / 32768, 0, units);
                inputs[26 + gate] = real(0.002f);
            }
            inputs[16] = constant(OperandType.TENSOR_QUANT8_SYMM, 0.002f, 0, units, units);
            inputs[17] = bias(units);
            inputs[18] = numbers(bytes, 0.01f, 0, 1, units);
            inputs[19] = numbers(OperandType.TENSOR_QUANT16_SYMM, 1f / 2048, 0, 1, units);
            inputs[24] = real(0);
            inputs[25] = real(0);
            inputs[30] = scalar(0);
            inputs[31] = real(0.007f);
            return finish(
                    OperationType.QUANTIZED_LSTM,
                    inputs,
                    new int[] {inputs[0], inputs[18], inputs[19]},
                    numbers(bytes, 0.01f, 0, 1, units),
                    numbers(OperandType.TENSOR_QUANT16_SYMM, 1f / 2048, 0, 1, units),
                    numbers(bytes, 0.01f, 0, 1, units));
        }

        Model rnn(int units) {
            int x = tensor(STEPS, 1, units);
            int state = tensor(1, units);
            return finish(
                    OperationType.UNIDIRECTIONAL_SEQUENCE_RNN,
                    new int[] {
                        x, weights(units, units), weights(units, units), weights(units), state, scalar(4), scalar(1)
                    },
                    new int[] {x, state},
                    tensor(STEPS, 1, units));
        }

        Model svdf() {
            int x = tensor(1, 256);
            int state = tensor(1, 10240);
            return finish(
                    OperationType.SVDF,
                    new int[] {x, weights(1024, 256), weights(1024, 10), weights(1024), state, scalar(1), scalar(1)},
                    new int[] {x, state},
                    tensor(1, 10240),
                    tensor(1, 1024));
        }

        Model regions(boolean aligned) {
            int x = tensor(1, 50, 68, 256);
            int boxes = tensor(100, 4);
            ByteBuffer corners = bytes(100 * 4 * Float.BYTES);
            for (int i = 0; i < 100; i++) {
                float left = random.nextInt(500);
                float top = random.nextInt(400);
                corners.putFloat(left)
                        .putFloat(top)
                        .putFloat(left + 50 + random.nextInt(500))
                        .putFloat(top + 30 + random.nextInt(360));
            }
            builder.setOperandValue(boxes, corners.flip());
            int images = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_INT32, 100));
            builder.setOperandValue(images, new int[100]);
            int seven = scalar(7);
            int stride = real(16);
            int two = scalar(2);
            int last = flag(false);
            return aligned
                    ? finish(
                            OperationType.ROI_ALIGN,
                            new int[] {x, boxes, images, seven, seven, stride, stride, two, two, last},
                            new int[] {x},
                            tensor(100, 7, 7, 256))
                    : finish(
                            OperationType.ROI_POOLING,
                            new int[] {x, boxes, images, seven, seven, stride, stride, last},
                            new int[] {x},
                            tensor(100, 7, 7, 256));
        }

        Model sum() {
            int x = tensor(1, 12);
            int y = tensor(1, 12);
            return finish(OperationType.ADD, new int[] {x, y, scalar(0)}, new int[] {x, y}, tensor(1, 12));
        }

        Model unary(OperationType operation) {
            int x = tensor(1, 12);
            return finish(operation, new int[] {x}, new int[] {x}, tensor(1, 12));
        }
    }
}
