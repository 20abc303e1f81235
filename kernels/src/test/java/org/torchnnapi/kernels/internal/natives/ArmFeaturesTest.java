package org.torchnnapi.kernels.internal.natives;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
    void nothingTold() {
        assertEquals("neon", ArmFeatures.instructionSet(folder.resolve("none"), folder.resolve("none")));
    }

    private String of(String processors, long capabilities, long more) throws IOException {
        ByteBuffer vector = ByteBuffer.allocate(8 * Long.BYTES).order(ByteOrder.nativeOrder());
        vector.putLong(6)
                .putLong(4096)
                .putLong(16)
                .putLong(capabilities)
                .putLong(26)
                .putLong(more)
                .putLong(0)
                .putLong(0);
        Path auxiliary = Files.write(folder.resolve("auxv"), vector.array());
        return ArmFeatures.instructionSet(Files.write(folder.resolve("cpuinfo"), processors.getBytes()), auxiliary);
    }
}
