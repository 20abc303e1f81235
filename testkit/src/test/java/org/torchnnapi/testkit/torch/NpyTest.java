package org.torchnnapi.testkit.torch;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;

class NpyTest {
    @Test
    void everyShapeComesBack(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("t.npy");
        for (int[] sizes : new int[][] {{}, {3}, {2, 3}, {0, 4}}) {
            for (DType dtype :
                    new DType[] {DType.FLOAT32, DType.INT64, DType.UINT8, DType.BOOL, DType.FLOAT16, DType.COMPLEX64}) {
                Tensor tensor = Tensor.zeros(dtype, sizes);
                Npy.write(file, tensor);
                Tensor back = Npy.read(file);
                assertEquals(dtype, back.dtype());
                assertArrayEquals(sizes, back.sizes());
            }
        }
    }

    @Test
    void elementsAreInLogicalOrder(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("t.npy");
        Npy.write(file, Tensor.of(new float[] {1, 2, 3, 4, 5, 6}, 2, 3).permute(1, 0));
        assertArrayEquals(new float[] {1, 4, 2, 5, 3, 6}, Npy.read(file).toFloatArray());
        assertEquals(0, (Files.size(file) - 24) % 64);
    }

    @ParameterizedTest
    @ValueSource(strings = {"(,)", "(3", "3", "(-3,)", "(1.5,)", "(3,,)", "(99999999999,)", "('3',)"})
    void shapesThatAreNoneAreRefusedByWhatTheySay(String shape, @TempDir Path folder) throws IOException {
        Path file = folder.resolve("t.npy");
        String header = "{'descr': '<f4', 'fortran_order': False, 'shape': " + shape + ", }";
        Files.write(
                file,
                ("\u0093NUMPY\1\0" + (char) header.length() + "\0" + header + "\0".repeat(12))
                        .getBytes(StandardCharsets.ISO_8859_1));
        String message = assertThrows(IllegalArgumentException.class, () -> Npy.read(file))
                .getMessage();
        assertTrue(message.contains("expected: "), message);
    }

    /** A header of 20,000 dimensions is read without recursion, and 64 are the most. */
    @Test
    void manyDimensionsAreRefused() {
        for (int dimensions : new int[] {64, 65, 20_000}) {
            String header = "{'descr': '<f4', 'fortran_order': False, 'shape': (" + "1,".repeat(dimensions) + "), }";
            byte[] bytes = ("\u0093NUMPY\1\0" + (char) (header.length() & 0xff) + (char) (header.length() >> 8) + header
                            + "\0\0\0\0")
                    .getBytes(StandardCharsets.ISO_8859_1);
            if (dimensions == 64) {
                assertEquals(64, Npy.read("a.npy", bytes, null).rank());
            } else {
                assertEquals(
                        "a.npy: more dimensions (expected: at most 64)",
                        assertThrows(IllegalArgumentException.class, () -> Npy.read("a.npy", bytes, null))
                                .getMessage());
            }
        }
    }

    @Test
    void damagedFilesAreRefused(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("t.npy");
        Npy.write(file, Tensor.of(new float[] {1, 2, 3}, 3));
        byte[] whole = Files.readAllBytes(file);
        for (int length = 0; length < whole.length; length += 3) {
            Files.write(file, Arrays.copyOf(whole, length));
            assertThrows(IllegalArgumentException.class, () -> Npy.read(file));
        }
    }
}
