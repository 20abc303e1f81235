package org.torchnnapi.torchscript.archive;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ZipWriterTest {
    /** What streams of files may copy at once. */
    private static final int SMALL = 1 << 20;

    /** Notes the most that was written at once. */
    private static final class Watched extends ByteArrayOutputStream {
        private int most;

        @Override
        public void write(byte[] bytes, int from, int count) {
            most = Math.max(most, count);
            super.write(bytes, from, count);
        }
    }

    @Test
    void largeRecordsAreWrittenInPartsWhateverMemoryTheyAreIn() throws IOException {
        byte[] bytes = new byte[(3 << 20) + 5];
        new Random(1).nextBytes(bytes);
        ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length);
        direct.duplicate().put(bytes);
        ByteBuffer wrapped = ByteBuffer.wrap(bytes);
        wrapped.position(3);
        Watched out = new Watched();
        ZipWriter zip = new ZipWriter(out);
        zip.add("wrapped", wrapped, false);
        zip.add("direct", direct, false);
        zip.finish();
        assertTrue(out.most <= SMALL, out.most + " bytes at once");
        assertEquals(3, wrapped.position());
        ZipReader read = ZipReader.of(ByteBuffer.wrap(out.toByteArray()));
        assertEquals(ByteBuffer.wrap(bytes, 3, bytes.length - 3), read.read("wrapped"));
        assertEquals(ByteBuffer.wrap(bytes), read.read("direct"));
    }
}
