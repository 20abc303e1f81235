package org.torchnnapi.tensor.platform;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What stands in for a JDK's library on Android, beside what the JDK itself does. */
class PlatformTest {
    @Test
    void tellsAndroid() {
        assertTrue(Platform.isAndroid("Dalvik"));
        assertFalse(Platform.isAndroid(System.getProperty("java.vm.name")));
        assertFalse(Platform.isAndroid(null));
    }

    @Test
    void processorsHaveTheNamesOfTheirFolders() {
        assertEquals(
                List.of("x86_64", "aarch64", "aarch64", "arm", "arm", "arm", "x86", "riscv64"),
                Stream.of("amd64", "aarch64", "arm64", "arm", "armv7l", "armv8l", "i686", "riscv64")
                        .map(Platform::processor)
                        .toList());
    }

    @Test
    void productsAndSumsAreRoundedOnce() {
        Random random = new Random(7);
        for (int i = 0; i < 300_000; i++) {
            float a = Float.intBitsToFloat(random.nextInt());
            float b = Float.intBitsToFloat(random.nextInt());
            // Near what cancels the product, where rounding twice goes wrong.
            float c = random.nextBoolean()
                    ? Float.intBitsToFloat(random.nextInt())
                    : -a * b * (1 + random.nextInt(5) * 0x1p-23f);
            assertEquals(Math.fma(a, b, c), FusedMultiplyAdd.rounded(a, b, c), () -> a + " * " + b + " + " + c);
        }
        // The sum in doubles lies halfway between two floats, and what it lost decides.
        assertEquals(
                Math.fma(0x1.000002p0f, 0x1.000002p0f, 0x1p-60f),
                FusedMultiplyAdd.rounded(0x1.000002p0f, 0x1.000002p0f, 0x1p-60f));
        assertEquals(
                Math.fma(0x1.000002p12f, 0x1.8p-13f, 0x1p-100f),
                FusedMultiplyAdd.rounded(0x1.000002p12f, 0x1.8p-13f, 0x1p-100f));
    }

    @Test
    void viewsAreAtTheirPlaceAndLeaveTheBufferAlone() {
        ByteBuffer bytes = ByteBuffer.allocateDirect(64).order(ByteOrder.LITTLE_ENDIAN);
        bytes.position(3);
        for (int i = 0; i < 64; i++) {
            bytes.put(i, (byte) i);
        }
        assertEquals(9, BufferViews.at(bytes, 9).get());
        assertEquals(ByteOrder.LITTLE_ENDIAN, BufferViews.at(bytes, 9).order());
        assertEquals(4, BufferViews.of(bytes, 60, 4).remaining());
        assertThrows(IllegalArgumentException.class, () -> BufferViews.of(bytes, 60, 5));
        assertThrows(ArithmeticException.class, () -> BufferViews.of(bytes, 60, Integer.MAX_VALUE));
        assertEquals(bytes.slice(8, 16), Buffers.slice(bytes, 8, 16));
        assertEquals(0, Buffers.whole(bytes).position());
        assertEquals(ByteOrder.LITTLE_ENDIAN, Buffers.whole(bytes).order());
        FloatBuffer floats = FloatBuffer.wrap(new float[] {1, 2, 3, 4});
        floats.position(2);
        assertEquals(FloatBuffer.wrap(new float[] {1, 2, 3, 4}), Buffers.whole(floats));
        IntBuffer ints = IntBuffer.allocate(4);
        BufferViews.at(ints, 1).put(BufferViews.of(IntBuffer.wrap(new int[] {7, 8, 9}), 1, 2));
        assertArrayEquals(new int[] {0, 8, 9, 0}, ints.array());
        assertEquals(3, bytes.position());
        assertTrue(Buffers.equal(new byte[] {1, 2, 3}, 1, new byte[] {2, 3, 4}, 0, 2));
        assertFalse(Buffers.equal(new byte[] {1, 2, 3}, 0, new byte[] {2, 3, 4}, 0, 2));
    }

    @Test
    void stringsAreAsAJdkMakesThem() {
        for (String text :
                new String[] {"", " ", "a", "  a b\t", "\u2003x\u2003", "a\nb", "a\n\nb\n", "\u00a0y", "\n"}) {
            assertEquals(text.strip(), Strings.strip(text));
            assertEquals(text.stripLeading(), Strings.stripStart(text));
            assertEquals(text.stripTrailing(), Strings.stripEnd(text));
            assertEquals(text.indent(2), Strings.indent(text, 2));
            for (int times : new int[] {1, 3, 4, 7, 1000}) {
                assertEquals(text.repeat(times), Strings.repeat(text, times));
            }
        }
        assertEquals("", Strings.repeat("ab", 0));
    }

    @Test
    void streamsAreReadWhole() throws IOException {
        byte[] bytes = new byte[100_000];
        new Random(3).nextBytes(bytes);
        assertArrayEquals(bytes, InputStreams.readAll(slowly(bytes)));
        assertArrayEquals(Arrays.copyOf(bytes, 50_000), InputStreams.read(slowly(bytes), 50_000));
        assertArrayEquals(bytes, InputStreams.read(slowly(bytes), 200_000));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        InputStreams.copy(slowly(bytes), out);
        assertArrayEquals(bytes, out.toByteArray());
    }

    /** A stream that gives few bytes at a time. */
    private static InputStream slowly(byte[] bytes) {
        return new ByteArrayInputStream(bytes) {
            @Override
            public synchronized int read(byte[] to, int first, int count) {
                return super.read(to, first, Math.min(count, 777));
            }
        };
    }

    @Test
    void listsCannotBeChanged() {
        List<String> list = Stream.of("a", null).collect(Streams.toList());
        assertEquals(Arrays.asList("a", null), list);
        assertThrows(UnsupportedOperationException.class, () -> list.add("b"));
    }

    @Test
    void cleansUpBehindWhatIsCollected() throws InterruptedException {
        CountDownLatch done = new CountDownLatch(2);
        AtomicBoolean early = new AtomicBoolean();
        Object kept = new Object();
        Cleanup.after(kept, () -> early.set(true));
        Cleanup.after(new byte[1 << 20], () -> {
            done.countDown();
            throw new AssertionError("of this action alone");
        });
        Cleanup.after(new byte[1 << 20], done::countDown);
        for (int i = 0; i < 50 && !done.await(20, TimeUnit.MILLISECONDS); i++) {
            System.gc();
        }
        assertEquals(0, done.getCount());
        assertFalse(early.get());
        Reachability.hold(kept);
        Reachability.fence(kept);
    }
}
