package org.torchnnapi.driver.cpu;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.nio.ByteBuffer;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.kernels.Precision;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.nnapi.driver.Capabilities;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.program.Op;
import org.torchnnapi.program.OpGraph;
import org.torchnnapi.program.op.ConvolutionOp;
import org.torchnnapi.program.op.LinearOp;

/** Where a model lets floats be computed in 16 bits, its products may be, whatever is folded into them. */
class RelaxedModelTest {
    @ParameterizedTest
    @CsvSource({
        "TENSOR_FLOAT32, false, FLOAT32",
        "TENSOR_FLOAT32, true, FLOAT16",
        "TENSOR_FLOAT16, false, FLOAT16",
    })
    void products(OperandType type, boolean relaxed, Precision expected) {
        int found = 0;
        for (OpGraph.Node node : graph(type, relaxed).nodes()) {
            if (precision(node.op()) != null) {
                found++;
                assertEquals(expected, precision(node.op()));
                assertEquals(expected, precision(node.op().limited(Clamp.RELU)));
                assertEquals(expected, precision(node.op().applying(UnaryOp.HARD_SWISH)));
            }
        }
        assertEquals(2, found);
    }

    @ParameterizedTest
    @CsvSource({"TENSOR_FLOAT16", "TENSOR_FLOAT32"})
    void capabilities(OperandType type) {
        Capabilities told = new CpuDriver().capabilities();
        Capabilities.Performance exact = told.byType().get(OperandType.TENSOR_FLOAT32);
        Capabilities.Performance halves =
                type == OperandType.TENSOR_FLOAT16 ? told.byType().get(type) : told.relaxedFloat32();
        if (Kernels.computesHalves()) {
            assertEquals(-1, Float.compare(halves.execTime(), exact.execTime()));
        } else {
            assertSame(exact, halves);
        }
    }

    private static Precision precision(Op op) {
        return op instanceof ConvolutionOp convolution
                ? convolution.precision()
                : op instanceof LinearOp linear ? linear.precision() : null;
    }

    /** A convolution 1x1 of 16 to 8 channels, and a fully connected layer of its pixels. */
    private static OpGraph graph(OperandType type, boolean relaxed) {
        Graphs graphs = new Graphs(1, type);
        ModelBuilder builder = graphs.builder;
        int image = graphs.tensor(1, 2, 2, 16);
        int pixels = graphs.tensor(1, 2, 2, 8);
        int rows = graphs.tensor(4, 3);
        builder.addOperation(
                OperationType.CONV_2D,
                new int[] {
                    image,
                    constant(graphs, 8, 1, 1, 16),
                    constant(graphs, 8),
                    graphs.scalar(1),
                    graphs.scalar(1),
                    graphs.scalar(1),
                    graphs.scalar(0)
                },
                new int[] {pixels});
        builder.addOperation(
                OperationType.FULLY_CONNECTED,
                new int[] {pixels, constant(graphs, 3, 8), constant(graphs, 3), graphs.scalar(0)},
                new int[] {rows});
        builder.identifyInputsAndOutputs(new int[] {image}, new int[] {rows});
        builder.relaxComputationFloat32toFloat16(relaxed);
        return Translation.of(builder.finish(), () -> {}).graph();
    }

    private static int constant(Graphs graphs, int... dimensions) {
        OperandDescriptor descriptor = OperandDescriptor.tensor(graphs.type, dimensions);
        int operand = graphs.builder.addOperand(descriptor);
        graphs.builder.setOperandValue(operand, ByteBuffer.allocate((int) descriptor.byteCount()));
        return operand;
    }
}
