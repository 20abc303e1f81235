package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.operators.ops.Op.list;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;

/** Errors begin as genuine PyTorch's do. */
class GradientRequestsTest {
    private static void refused(String expected, String name, Object... arguments) {
        String message = assertThrows(IllegalArgumentException.class, () -> Op.call(name, arguments))
                .getMessage();
        assertTrue(message.startsWith(expected), message);
    }

    @Test
    void nothingRequiresGradients() {
        String expected = "element 0 of tensors does not require grad and does not have a grad_fn";
        refused(expected, "backward", vector(1));
        refused(expected, "backward.TensorList", list(vector(1)));
        refused(expected, "_backward", vector(1), list(vector(1)));
        refused(expected, "grad", list(vector(1)), list(vector(1)));
        refused("can't retain_grad on Tensor that has requires_grad=False", "retain_grad", vector(1));
    }

    @Test
    void parametersHaveNoHistory() {
        refused(
                "element 0 of tensors does not have a grad_fn",
                "backward",
                vector(1).requiresGrad(true));
        assertNull(Op.call("retain_grad", vector(1).requiresGrad(true)));
        assertEquals(false, Op.call("retains_grad", vector(1)));
    }

    @Test
    void nothingIsAskedForOfNoTensors() {
        assertNull(Op.call("backward.TensorList", list()));
        refused("One of the differentiated Tensors does not require grad", "grad", list(), list(vector(1)));
    }
}
