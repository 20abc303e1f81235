package org.torchnnapi.execution.tracing.lower;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.execution.tracing.Agreement.floats;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.execution.tracing.Methods;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptException;

/** What an operator refuses a program refuses too. Genuine PyTorch 1.13.1 raises for each of these lines. */
class RefusalsTest {
    /** x is [2, 3, 4], y is [2, 6, 5, 4], z is [5]; the first result keeps a program busy whatever the line does. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "layer_norm(x, [12])",
                "layer_norm(x, [3])",
                "layer_norm(x, [])",
                "layer_norm(x, [4], CONSTANTS.c0)",
                "layer_norm(x, [4], None, CONSTANTS.c0)",
                "layer_norm(x, [3, 4], CONSTANTS.c1)",
                "group_norm(y, 4)",
                "group_norm(y, 0)",
                "group_norm(y, 2, CONSTANTS.c0)",
                "batch_norm(y, CONSTANTS.c0, None, CONSTANTS.c2, CONSTANTS.c2, False, 0.1, 1e-05, False)",
                "batch_norm(y, None, None, CONSTANTS.c0, CONSTANTS.c0, False, 0.1, 1e-05, False)",
                "instance_norm(y, CONSTANTS.c0, None, None, None, True, 0.1, 1e-05, False)",
                "add(x, y)",
                "mul(x, z)",
                "matmul(x, z)",
                "matmul(x, x)",
                "mm(x, x)",
                "bmm(x, x)",
                "linear(x, CONSTANTS.c3)",
                "linear(x, CONSTANTS.c4, CONSTANTS.c0)",
                "addmm(z, CONSTANTS.c3, CONSTANTS.c3)",
                "baddbmm(x, x, x)",
                "cat([x, y], 0)",
                "cat([x, torch.transpose(x, 1, 2)], 0)",
                "stack([x, z], 0)",
                "reshape(x, [5, 5])",
                "reshape(x, [-1, -1])",
                "reshape(x, [-1, 7])",
                "permute(x, [0, 1])",
                "permute(x, [0, 0, 1])",
                "transpose(x, 0, 3)",
                "flatten(x, 2, 1)",
                "unsqueeze(x, 4)",
                "select(x, 1, 3)",
                "slice(x, 3, 0, 1, 1)",
                "slice(x, 0, 0, 1, 0)",
                "chunk(x, 0, 0)",
                "softmax(x, 3)",
                "log_softmax(x, -4)",
                "mean(x, [0, 0])",
                "mean(x, [3])",
                "sum(x, [1, -2])",
                "amax(x, [5])",
                "argmax(x, 3)",
                "cumsum(x, 3)",
                "conv2d(y, CONSTANTS.c5)",
                "conv2d(y, CONSTANTS.c6, CONSTANTS.c0)",
                "conv2d(y, CONSTANTS.c6, None, [0, 1])",
                "conv2d(y, CONSTANTS.c6, None, [1, 1], [-1, 0])",
                "conv2d(y, CONSTANTS.c6, None, [1, 1], [0, 0], [3, 3])",
                "conv2d(y, CONSTANTS.c6, None, [1, 1], [0, 0], [1, 1], 4)",
                "conv1d(x, CONSTANTS.c6)",
                "max_pool2d(y, [3, 3], [1, 1], [2, 2])",
                "max_pool2d(y, [9, 9])",
                "avg_pool2d(y, [3, 3], [1, 1], [2, 2])",
                "avg_pool2d(y, [0, 1])",
                "avg_pool2d(y, [2, 2], [2, 2], [0, 0], False, True, 0)",
                "adaptive_avg_pool2d(y, [-1, 2])",
                "upsample_nearest2d(y, [0, 3])",
                "upsample_bilinear2d(y, [3, 0], False)",
                "upsample_bilinear2d(x, [3, 3], False)",
                "constant_pad_nd(x, [1])",
                "constant_pad_nd(x, [-3, -2])",
                "reflection_pad2d(y, [4, 0, 0, 0])",
                "reflection_pad2d(y, [0, 0, 5, 0])",
                "replication_pad2d(x, [1, 1])",
                "pixel_shuffle(y, 4)",
                "pixel_unshuffle(y, 3)",
                "channel_shuffle(y, 4)",
                "where(torch.gt(x, 0), x, y)",
                "prelu(y, CONSTANTS.c0)",
                "glu(x, 1)",
                "expand(x, [3, 3, 4])",
                "expand(x, [3, 4])",
                "index_select(x, 3, CONSTANTS.c7)",
                "index_select(x, 0, CONSTANTS.c8)",
                "gather(x, 0, CONSTANTS.c7)",
                "roll(x, [1, 2], [0])",
                "narrow(x, 0, 1, 2)",
                "unbind(x, 3)",
                "split(x, -1, 0)",
                "split_with_sizes(x, [1, 2], 0)",
                "repeat(x, [2, 2])",
                "tile(x, [-1])",
                "embedding(CONSTANTS.c0, CONSTANTS.c7)",
                "einsum('ij,jk->ik', [x, x])",
                "clamp(x)",
                "topk(x, 5, 2)",
                "flip(x, [0, 0])",
                "movedim(x, 0, 3)"
            })
    void interpretedAndCompiledAlike(String call) {
        Object[] constants = {
            floats(3),
            floats(3, 3),
            floats(6),
            floats(5, 7),
            floats(5, 4),
            floats(4, 5, 3, 3),
            floats(4, 6, 3, 3),
            Tensor.of(new long[] {0, 1}, 2),
            Tensor.of(new long[] {0, 7}, 2)
        };
        Methods methods = Methods.forward(
                3, List.of("busy = torch.relu(torch.mul(x, 2.))", "return (busy, torch." + call + ")"), constants);
        Object[] arguments = {floats(2, 3, 4), floats(2, 6, 5, 4), floats(5)};
        assertThrows(ScriptException.class, () -> methods.interpret("forward", arguments), call);
        assertThrows(ScriptException.class, () -> methods.specialise("forward", arguments), call);
        assertThrows(ScriptException.class, () -> methods.specialise("forward", arguments), call + " again");
    }

    /** Whichever operator meets them. */
    @Test
    void sizesBeyond32BitsAreToldAsThat() {
        Methods methods = Methods.forward(1, List.of("return torch.repeat(x, [2000000000])"));
        Object[] arguments = {floats(10)};
        for (int i = 0; i < 2; i++) {
            ScriptException e = assertThrows(
                    ScriptException.class,
                    i == 0
                            ? () -> methods.interpret("forward", arguments)
                            : () -> methods.specialise("forward", arguments));
            assertTrue(
                    e.getMessage().contains("sizes or numbers: beyond 32 bits (expected: smaller arguments)"),
                    e.getMessage());
        }
    }
}
