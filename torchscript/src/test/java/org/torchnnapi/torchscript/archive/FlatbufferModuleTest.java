package org.torchnnapi.torchscript.archive;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ScriptModule;
import org.torchnnapi.torchscript.ScriptRuntime;
import org.torchnnapi.torchscript.bytecode.BytecodeException;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.interp.ScriptException;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.GraphVerifier;
import org.torchnnapi.torchscript.value.CustomClasses;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** On a file of genuine PyTorch; make_lite_module.py beside it says how it was made. */
class FlatbufferModuleTest {
    private static byte[] file() throws IOException {
        try (InputStream in = FlatbufferModuleTest.class.getResourceAsStream("lite_module.ff")) {
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
    void extraFilesAreKept() throws IOException {
        ByteBuffer note = TorchScriptArchive.of(file()).extraFiles().get("note.txt");
        assertEquals("hello", StandardCharsets.UTF_8.decode(note).toString());
    }

    @Test
    void knowsItsIdentifier() throws IOException {
        assertTrue(FlatbufferModule.isFlatbuffer(ByteBuffer.wrap(file())));
        assertFalse(FlatbufferModule.isFlatbuffer(ByteBuffer.wrap(new byte[] {1, 2})));
        assertFalse(FlatbufferModule.isFlatbuffer(ByteBuffer.wrap("PK, not a flat buffer".getBytes(StandardCharsets.US_ASCII))));
    }

    @Test
    void truncatedFilesAreRefused() throws IOException {
        byte[] whole = file();
        for (int length = 12; length < whole.length - 64; length += 53) {
            byte[] part = Arrays.copyOf(whole, length);
            assertThrows(ArchiveException.class, () -> TorchScriptArchive.of(part), "length " + length);
        }
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
