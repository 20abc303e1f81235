package org.torchnnapi.samples.toy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.FloatBuffer;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.CompilationBuilder;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.nnapi.runtime.PlacementRules;

class ToyDriverTest {
    /** {@code softmax(x * x + x)}: the toy takes the first two, the reference device the last. */
    private static Model model() {
        ModelBuilder builder = new ModelBuilder();
        OperandDescriptor vector = OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 1, 2);
        int x = builder.addOperand(vector);
        int square = builder.addOperand(vector);
        int sum = builder.addOperand(vector);
        int out = builder.addOperand(vector);
        int none = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        builder.setOperandValue(none, 0);
        int beta = builder.addOperand(OperandDescriptor.scalar(OperandType.FLOAT32));
        builder.setOperandValue(beta, 1f);
        builder.addOperation(OperationType.MUL, new int[] {x, x, none}, new int[] {square});
        builder.addOperation(OperationType.ADD, new int[] {square, x, none}, new int[] {sum});
        builder.addOperation(OperationType.SOFTMAX, new int[] {sum, beta}, new int[] {out});
        builder.identifyInputsAndOutputs(new int[] {x}, new int[] {out});
        return builder.finish();
    }

    @Test
    void isFoundAndSharesTheWorkWithTheReference() {
        PlacementRules rules = PlacementRules.NONE.deny("reference", "ADD").deny("reference", "MUL");
        try (Compilation compilation = new CompilationBuilder(model())
                .setAvailable(Devices.installed())
                .setPlacementRules(rules)
                .finish()) {
            assertEquals(
                    List.of("toy", "toy", "reference"),
                    compilation.placement().operations().stream()
                            .map(o -> o.device())
                            .toList());
            FloatBuffer out = (FloatBuffer) compilation
                    .run(List.of(FloatBuffer.wrap(new float[] {1, 2})), null)
                    .get(0)
                    .data();
            double expected = 1 / (1 + Math.exp(6 - 2));
            assertEquals(expected, out.get(0), 1e-6);
        }
    }
}
