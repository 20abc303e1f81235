package org.torchnnapi.execution.tracing.lower;

import static org.torchnnapi.execution.tracing.Agreement.floats;
import static org.torchnnapi.execution.tracing.Agreement.lowered;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

class SelectionLoweringTest {
    private static Tensor mask(int... sizes) {
        byte[] marks = new byte[(int) Shape.numel(sizes)];
        for (int i = 0; i < marks.length; i++) {
            marks[i] = (byte) (i * 7 % 3 == 1 ? 1 : 0);
        }
        return Tensor.of(DType.BOOL, marks, sizes);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "masked_fill(x, CONSTANTS.c0, -1e9)",
                "masked_fill(x, CONSTANTS.c1, 3)",
                "masked_fill(x, CONSTANTS.c2, CONSTANTS.c3)",
                "where(CONSTANTS.c1, x, CONSTANTS.c3)",
                "where(CONSTANTS.c0, CONSTANTS.c3, x)",
                "where(CONSTANTS.c4, x, 2.)",
                "masked_fill(x, CONSTANTS.c2, CONSTANTS.c5)"
            })
    void byConstantMasks(String call) {
        Object[] constants = {
            mask(5),
            mask(2, 1, 4, 1),
            mask(2, 3, 4, 5),
            Tensor.of(new float[] {0.5f}),
            mask(3, 2, 3, 4, 5),
            Tensor.of(new float[] {Float.NEGATIVE_INFINITY})
        };
        lowered("torch." + call, constants, floats(2, 3, 4, 5));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "where(y, x, z)",
                "where(y, z, x)",
                "where(y, x, CONSTANTS.c0)",
                "where(torch.gt(x, z), x, 1)",
                "where(y, torch.to(x, 4), 3)",
                "where(torch.unsqueeze(torch.select(y, 1, 0), 1), z, x)",
                "where(y, 1., 0.)",
                "masked_fill(torch.to(x, 4), y, 7)",
                "masked_fill(x, y, torch.select(z, 0, 2))",
                "masked_fill_(torch.zeros([6, 7]), y, 3.)"
            })
    void ofTwoTensors(String call) {
        lowered("torch." + call, new Object[] {floats(6, 7)}, floats(6, 7), mask(6, 7), floats(7));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "masked_fill(x, y, -1e9)",
                "where(y, x, CONSTANTS.c0)",
                "masked_fill_(torch.mul(x, 2.), y, 0)",
                "masked_fill(x, torch.unsqueeze(torch.select(y, 1, 0), 1), 1.)"
            })
    void byMasksThatVary(String call) {
        lowered("torch." + call, new Object[] {Tensor.of(new float[] {0.5f})}, floats(6, 7), mask(6, 7));
    }
}
