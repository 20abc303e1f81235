package org.torchnnapi.nnapi.driver;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;

class DeviceConstraintTest {
    /** {@code x + x} of {@code [2, dimension]} floats, with no activation. */
    private static String problem(String demand, int dimension) {
        ModelBuilder builder = new ModelBuilder();
        OperandDescriptor type = OperandDescriptor.tensor(OperandType.TENSOR_FLOAT32, 2, dimension);
        int x = builder.addOperand(type);
        int none = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        builder.setOperandValue(none, 0);
        int sum = builder.addOperand(type);
        builder.addOperation(OperationType.ADD, new int[] {x, x, none}, new int[] {sum});
        builder.identifyInputsAndOutputs(new int[] {x}, new int[] {sum});
        Model model = builder.finish();
        Problem problem = DeviceConstraint.parse(demand.split(" "))
                .problem(model, model.operations().get(0));
        return problem == null ? null : problem.toString();
    }

    @Test
    void fixedShapes() {
        assertNull(problem("fixed-shapes", 3));
        assertEquals("shape: TENSOR_FLOAT32[2, 0] (expected: all dimensions known)", problem("fixed-shapes", 0));
    }

    @Test
    void ranks() {
        assertNull(problem("max-rank 2", 3));
        assertEquals("rank: 2 (expected: <= 1)", problem("max-rank 1", 3));
    }

    @Test
    void constants() {
        assertNull(problem("constant 2 7", 3));
        assertEquals("input 1: SUBGRAPH_INPUT (expected: constant)", problem("constant 2 1", 3));
    }

    @Test
    void valuesOfTheSignatureWithSoManyInputs() {
        assertNull(problem("input 2 of 3 is 1 0", 3));
        assertNull(problem("input 2 of 4 is 1", 3));
        assertEquals("input 2: 0 (expected: one of [1, 3])", problem("input 2 of 3 is 1 3", 3));
        assertEquals("input 0: SUBGRAPH_INPUT (expected: a constant)", problem("input 0 of 3 is 1", 3));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cheap|cheap (expected: fixed-shapes, max-rank, constant or input)",
                "max-rank|max-rank (expected: max-rank N)",
                "max-rank 1 2|max-rank 1 2 (expected: max-rank N)",
                "constant|constant (expected: constant INPUT...)",
                "input 1 of 3 is|input 1 of 3 is (expected: input I of N is VALUE...)",
                "input 3 of 3 is 1|input: 3 (expected: 0 to 2)"
            })
    void whatIsNoDemandSaysTheForm(String demand, String message) {
        assertEquals(
                message,
                assertThrows(IllegalArgumentException.class, () -> DeviceConstraint.parse(demand.split(" ")))
                        .getMessage());
    }
}
