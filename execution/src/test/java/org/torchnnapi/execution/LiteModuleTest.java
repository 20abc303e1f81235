package org.torchnnapi.execution;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.bytecode.BytecodeException;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.GraphVerifier;
import org.torchnnapi.torchscript.value.CustomClasses;
import org.torchnnapi.torchscript.value.ScriptException;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** On a file of genuine PyTorch; torchscript/src/test/python/make_lite_module.py says how it was made. */
class LiteModuleTest {
    private static byte[] file() throws IOException {
        try (InputStream in = LiteModuleTest.class.getResourceAsStream("/archive/lite_module.ff")) {
            return in.readAllBytes();
        }
    }

    private static ScriptModule load(byte[] bytes) {
        return ScriptModule.of(TorchScriptArchive.of(bytes), ScriptRuntime.standard(CustomClasses.NONE));
    }

    @Test
    void runsAsPyTorchRunsIt() throws IOException {
        ScriptModule module = load(file());
        assertEquals("(23, [a, b, c], 1.5, n=5)", text(module.call("forward", 5L)));
        assertEquals("(11, [a, b, c, z], 1.5, n=4)", text(module.call("forward", 4L, "z")));
        Tensor table = (Tensor) module.call("weights");
        assertArrayEquals(new int[] {2, 3}, table.sizes());
        assertArrayEquals(new float[] {0, 1, 2, 3, 4, 5}, table.toFloatArray());
        for (Function method : module.object().type().methods()) {
            GraphVerifier.verify(method.graph());
        }
    }

    private static String text(Object value) {
        ScriptTuple tuple = (ScriptTuple) value;
        return "(" + tuple.get(0) + ", " + tuple.get(1) + ", " + tuple.get(2) + ", " + tuple.get(3) + ")";
    }

    @Test
    void damagedFilesGiveTypedErrorsOnly() throws IOException {
        byte[] whole = file();
        Random random = new Random(11);
        int refused = 0;
        for (int i = 0; i < 1_500; i++) {
            byte[] damaged = whole.clone();
            for (int k = random.nextInt(3); k >= 0; k--) {
                int at = random.nextInt(damaged.length);
                damaged[at] = (byte) (random.nextBoolean() ? random.nextInt(256) : damaged[at] + 1);
            }
            try {
                ScriptModule module = load(damaged);
                for (Function method : module.object().type().methods()) {
                    method.graph();
                }
            } catch (ArchiveException | BytecodeException | ScriptException e) {
                refused++;
            }
        }
        assertTrue(refused > 75, "refused: " + refused);
    }
}
