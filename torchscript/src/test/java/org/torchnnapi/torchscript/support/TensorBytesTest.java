package org.torchnnapi.torchscript.support;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;

class TensorBytesTest {
    /** Weights as large as a model's are put in another order when they are written, and not to know them. */
    @Test
    void fingerprintsMakeNoOtherOrder() {
        float[] values = new float[300 * 70];
        Random random = new Random(1);
        for (int i = 0; i < values.length; i++) {
            values[i] = random.nextFloat();
        }
        Tensor turned = Tensor.of(values, 300, 70).permute(1, 0);
        Tensor copied = turned.copy(MemoryFormat.CONTIGUOUS);
        int[] sizes = {70, 300};
        Tensor deferred = new Tensor(
                Storage.reordered(turned.storage(), turned.numel(), turned::place, () -> {
                    throw new AssertionError("all elements are made");
                }),
                0,
                sizes,
                Shape.contiguousStrides(sizes),
                null);
        assertEquals(TensorBytes.fingerprint(copied), TensorBytes.fingerprint(turned));
        assertEquals(TensorBytes.fingerprint(copied), TensorBytes.fingerprint(deferred));
        assertTrue(TensorBytes.areEqual(copied, turned));
        assertNotEquals(TensorBytes.fingerprint(copied), TensorBytes.fingerprint(Tensor.of(values, 70, 300)));
    }
}
