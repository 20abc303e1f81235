package org.torchnnapi.kernels.internal.natives;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.kernels.internal.ProcessorException;

class ArmFeaturesTest {
    @TempDir
    Path folder;

    @Test
    void theSystemTells() throws IOException {
        assertEquals("neon", of("Features\t: fp asimd evtstrm aes crc32 cpuid", 1L << 20, 0));
        assertEquals("dotprod", of("Features\t: fp asimd asimdhp asimddp", 0, 0));
        assertEquals("i8mm", of("Features\t: fp asimd asimddp sve i8mm bf16", 0, 0));
    }

    @Test
    void theProgramsVectorDoesWhereAnotherProcessorIsDescribed() throws IOException {
        assertEquals("neon", of("flags\t: fpu avx512_vnni", 0b11, 0));
        assertEquals("dotprod", of("flags\t: fpu avx512_vnni", 1L << 20, 0));
        assertEquals("i8mm", of("flags\t: fpu avx512_vnni", 1L << 20, 1L << 13));
    }

    @Test
    void arithmeticOfHalves() throws IOException {
        for (String told : List.of("Features\t: fp asimd fphp asimdhp asimddp", "flags\t: fpu avx512_vnni")) {
            Path processors = Files.writeString(folder.resolve("cpuinfo"), told);
            assertTrue(ArmFeatures.computesHalves(processors, doubleWords(1 << 10, 0)));
        }
        // An older processor converts between them and floats, and does no more with them.
        for (String told : List.of("Features\t: half fp asimd evtstrm aes", "flags\t: fpu avx512_fp16")) {
            Path processors = Files.writeString(folder.resolve("cpuinfo"), told);
            assertFalse(ArmFeatures.computesHalves(processors, doubleWords(1 << 20, 1 << 13)));
        }
        assertFalse(ArmFeatures.computesHalves(folder.resolve("none"), folder.resolve("none")));
    }

    @Test
    void nothingTold() {
        assertEquals("neon", ArmFeatures.instructionSet(folder.resolve("none"), folder.resolve("none")));
    }

    @Test
    void of32BitsHaveFusedMultiplyAddOrNoKernels() throws IOException {
        Path none = folder.resolve("none");
        for (String features :
                List.of("Features : half thumb neon vfpv3 tls vfpv4 idiva idivt", "Features : fp asimd")) {
            Path told = Files.writeString(folder.resolve("told"), features);
            assertDoesNotThrow(() -> ArmFeatures.requireFusedMultiplyAdd(told, none));
        }
        Path other = Files.writeString(folder.resolve("other"), "flags\t: fpu avx512_vnni");
        Path vector = words(1 << 12 | 1 << 16 | 1 << 17);
        assertDoesNotThrow(() -> ArmFeatures.requireFusedMultiplyAdd(other, vector));
        Path older = Files.writeString(folder.resolve("older"), "Features : half thumb neon vfpv3 tls");
        for (Path lacking : List.of(words(1 << 12 | 1 << 17), words(1 << 12 | 1 << 16), none)) {
            ProcessorException refused =
                    assertThrows(ProcessorException.class, () -> ArmFeatures.requireFusedMultiplyAdd(older, lacking));
            assertEquals("the processor has no NEON with VFPv4 and integer division", refused.getMessage());
        }
    }

    /** An auxiliary vector of 32-bit words. */
    private Path words(int capabilities) throws IOException {
        ByteBuffer vector = ByteBuffer.allocate(6 * Integer.BYTES).order(ByteOrder.nativeOrder());
        vector.putInt(6).putInt(4096).putInt(16).putInt(capabilities).putInt(0).putInt(0);
        return Files.write(Files.createTempFile(folder, "words", ""), vector.array());
    }

    private String of(String processors, long capabilities, long more) throws IOException {
        return ArmFeatures.instructionSet(
                Files.write(folder.resolve("cpuinfo"), processors.getBytes()), doubleWords(capabilities, more));
    }

    /** The auxiliary vector of a program of 64 bits. */
    private Path doubleWords(long capabilities, long more) throws IOException {
        ByteBuffer vector = ByteBuffer.allocate(8 * Long.BYTES).order(ByteOrder.nativeOrder());
        vector.putLong(6)
                .putLong(4096)
                .putLong(16)
                .putLong(capabilities)
                .putLong(26)
                .putLong(more)
                .putLong(0)
                .putLong(0);
        return Files.write(folder.resolve("auxv"), vector.array());
    }
}
