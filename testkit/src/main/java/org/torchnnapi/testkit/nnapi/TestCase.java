package org.torchnnapi.testkit.nnapi;

import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.List;
import java.util.function.UnaryOperator;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;

/**
 * One conformance test as it is written in a case file.
 *
 * @param multinomialTolerance above 0 when the distribution is judged instead of the values
 * @param referenced models that SUBGRAPH operands point to
 */
public record TestCase(
        String name,
        String minSupportedVersion,
        boolean relaxed,
        boolean expectFailure,
        double multinomialTolerance,
        TestModel main,
        List<TestModel> referenced) {

    /** A model with its values. */
    public record TestModel(List<TestOperand> operands, List<TestOperation> operations, int[] inputs, int[] outputs) {
        TestModel mapOperands(UnaryOperator<TestOperand> change) {
            return new TestModel(operands.stream().map(change).toList(), operations, inputs, outputs);
        }
    }

    /** One operation of a test model. */
    public record TestOperation(OperationType type, int[] inputs, int[] outputs) {}

    /**
     * One operand of a test model.
     *
     * @param ignored main output that is not judged
     * @param data little-endian bytes, or null
     */
    public record TestOperand(OperandDescriptor descriptor, Lifetime lifetime, boolean ignored, ByteBuffer data) {
        OperandType type() {
            return descriptor.type();
        }

        TestOperand with(OperandDescriptor newDescriptor, ByteBuffer newData) {
            return new TestOperand(newDescriptor, lifetime, ignored, newData);
        }

        /** Bytes of the value its dimensions describe, a 0 being an empty dimension. */
        int expectedBytes() {
            int count = 1;
            for (int dimension : descriptor.dimensions()) {
                count *= dimension;
            }
            return count * type().elementBytes();
        }
    }

    /** Whether the test is meant to end by the loop timeout. */
    boolean isInfiniteLoop() {
        return name.startsWith("while_infinite_loop");
    }

    /** The release that the test says it needs, null where it says none. */
    FeatureLevel statedLevel() {
        return minSupportedVersion.startsWith("V") ? FeatureLevel.valueOf(minSupportedVersion) : null;
    }

    boolean uses(Collection<OperationType> types) {
        return main.operations().stream().anyMatch(o -> types.contains(o.type()))
                || referenced.stream().flatMap(m -> m.operations().stream()).anyMatch(o -> types.contains(o.type()));
    }

    /** Whether FLOAT32 outputs are judged with the bounds of FLOAT16. */
    boolean isLoose() {
        return relaxed || hasHalfTensor(main) || referenced.stream().anyMatch(TestCase::hasHalfTensor);
    }

    private static boolean hasHalfTensor(TestModel model) {
        return model.operands().stream().anyMatch(o -> o.type() == OperandType.TENSOR_FLOAT16);
    }
}
