package org.torchnnapi.testkit.captured;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.Complex;
import org.torchnnapi.torchscript.value.ScriptDict;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

class CapturedValuesTest {
    /** Writes what the reader reads. */
    private static final class Bytes {
        private final ByteArrayOutputStream out = new ByteArrayOutputStream();

        Bytes kind(char kind) {
            out.write(kind);
            return this;
        }

        Bytes bytes(int... values) {
            for (int value : values) {
                out.write(value);
            }
            return this;
        }

        Bytes longs(long... values) {
            for (long value : values) {
                out.writeBytes(ByteBuffer.allocate(Long.BYTES)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putLong(value)
                        .array());
            }
            return this;
        }

        Bytes count(int value) {
            out.writeBytes(ByteBuffer.allocate(Integer.BYTES)
                    .order(ByteOrder.LITTLE_ENDIAN)
                    .putInt(value)
                    .array());
            return this;
        }

        Bytes number(double value) {
            return longs(Double.doubleToLongBits(value));
        }

        Bytes text(String text) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            count(bytes.length);
            out.writeBytes(bytes);
            return this;
        }

        Object read(Type type) throws IOException {
            CapturedValues values = new CapturedValues(out.toByteArray());
            Object value = values.value(type);
            assertFalse(values.hasMore());
            return value;
        }
    }

    @Test
    void readsNumbersAndText() throws IOException {
        assertNull(new Bytes().kind('N').read(null));
        assertEquals(true, new Bytes().kind('?').bytes(1).read(null));
        assertEquals(-3L, new Bytes().kind('I').longs(-3).read(null));
        assertEquals(2.0, new Bytes().kind('I').longs(2).read(Type.Basic.FLOAT));
        assertEquals(0.5, new Bytes().kind('D').number(0.5).read(null));
        assertEquals(
                new Complex(1, -2), new Bytes().kind('C').number(1).number(-2).read(null));
        assertEquals("äé😀", new Bytes().kind('S').text("äé😀").read(null));
        assertEquals(
                "\ud800x",
                new Bytes().kind('S').count(4).bytes(0xed, 0xa0, 0x80, 'x').read(null));
    }

    @Test
    void readsContainers() throws IOException {
        ScriptList list = (ScriptList) new Bytes()
                .kind('L')
                .text("int")
                .count(2)
                .kind('I')
                .longs(1)
                .kind('I')
                .longs(2)
                .read(null);
        assertEquals(Type.Basic.INT, list.elementType());
        assertArrayEquals(new long[] {1, 2}, list.toLongs());
        ScriptTuple tuple = (ScriptTuple)
                new Bytes().kind('U').count(2).kind('N').kind('S').text("a").read(null);
        assertEquals(ScriptTuple.of(null, "a"), tuple);
        ScriptDict dict = (ScriptDict) new Bytes()
                .kind('M')
                .text("str")
                .text("float")
                .count(1)
                .kind('S')
                .text("k")
                .kind('D')
                .number(3)
                .read(null);
        assertEquals(3.0, dict.items().get("k"));
    }

    @Test
    void readsTensorsWithTheirQuantization() throws IOException {
        Tensor plain = (Tensor) new Bytes()
                .kind('T')
                .bytes(3, 0, 1)
                .longs(2)
                .longs(8)
                .count(7)
                .count(-1)
                .read(null);
        assertEquals(DType.INT32, plain.dtype());
        assertEquals(-1, plain.getLong(1));
        Tensor bytes = (Tensor) new Bytes()
                .kind('T')
                .bytes(13, 0, 1)
                .longs(2)
                .bytes(0)
                .number(0.5)
                .longs(10)
                .longs(2)
                .bytes(12, 200)
                .read(null);
        assertEquals(new Quantization.PerTensor(0.5, 10), bytes.quantization());
        assertEquals(200, bytes.getLong(1));
        Tensor channels = (Tensor) new Bytes()
                .kind('T')
                .bytes(12, 0, 1)
                .longs(2)
                .bytes(1)
                .longs(0, 2)
                .number(0.5)
                .number(2)
                .number(3)
                .number(-4)
                .longs(2)
                .bytes(1, 2)
                .read(null);
        Quantization.PerChannel rule = (Quantization.PerChannel) channels.quantization();
        assertArrayEquals(new double[] {3, -4}, rule.zeroPoints());
    }

    @Test
    void whatIsNoValueIsRefused() {
        assertThrows(IOException.class, () -> new Bytes().kind('Z').read(null));
        assertThrows(IOException.class, () -> new Bytes().kind('S').count(100).read(null));
        assertThrows(IOException.class, () -> new Bytes().kind('U').count(-1).read(null));
        assertThrows(
                IOException.class,
                () -> new Bytes()
                        .kind('T')
                        .bytes(6, 0, 1)
                        .longs(2)
                        .longs(4)
                        .count(0)
                        .read(null));
    }
}
