package org.torchnnapi.operators.builtin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;

import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.torchscript.value.TorchDevice;

/** Expected values are genuine PyTorch's. */
class HashesTest {
    @Test
    void devicesByTheirNumbers() {
        assertEquals(65536L, Hashes.of(TorchDevice.parse("cuda:0")));
        assertEquals(255L, Hashes.of(TorchDevice.parse("cpu")));
    }

    @Test
    void identitiesDifferAndNoneHasNone() {
        Operator id = OperatorRegistry.withBuiltins().overloads("prim::id").get(0);
        Object one = new Object();
        assertEquals(0L, id.kernel().call(new Object[] {null}));
        assertEquals(id.kernel().call(new Object[] {one}), id.kernel().call(new Object[] {one}));
        assertNotEquals(0L, id.kernel().call(new Object[] {one}));
    }
}
