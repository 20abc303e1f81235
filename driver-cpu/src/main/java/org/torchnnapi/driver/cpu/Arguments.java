package org.torchnnapi.driver.cpu;

import java.nio.Buffer;
import java.nio.ByteBuffer;
import java.nio.FloatBuffer;
import java.nio.IntBuffer;
import java.nio.ShortBuffer;
import java.util.Arrays;
import org.torchnnapi.kernels.BoxSuppression;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.op.OperandBuffers;
import org.torchnnapi.tensor.Half;
import org.torchnnapi.tensor.platform.Buffers;

/**
 * The inputs of the only operation of a model as one execution after the other brings them: constants are read once,
 * arrays grow to the largest value and are kept.
 */
final class Arguments {
    private final OperationView site;
    /** By input of the operation its place among the model's inputs; -1 for a constant. */
    private final int[] places;

    private final Buffer[] data;
    private final int[][] dims;
    private final float[][] reals;
    private final int[][] ints;
    /** By input of 16-bit numbers what widens as many as there were last. */
    private final SixteenBits[] widened;
    /** By input of bytes what each of them stands for. */
    private final float[][] ofBytes;

    Arguments(OperationView site) {
        this.site = site;
        int inputs = site.inputs();
        places = new int[inputs];
        data = new Buffer[inputs];
        dims = new int[inputs][];
        reals = new float[inputs][];
        ints = new int[inputs][];
        widened = new SixteenBits[inputs];
        ofBytes = new float[inputs][];
        Model model = site.model();
        for (int i = 0; i < inputs; i++) {
            places[i] = -1;
            for (int j = 0; j < model.inputCount(); j++) {
                places[i] = model.inputs()[j] == site.operation().input(i) ? j : places[i];
            }
            if (places[i] < 0) {
                data[i] = OperandBuffers.view(site.in(i).type(), site.operand(i).value());
                dims[i] = site.in(i).dimensions();
            }
            if (site.in(i).type().element().bytes() == 1) {
                ofBytes[i] = realsOfBytes(site.in(i));
            }
        }
    }

    private static float[] realsOfBytes(OperandDescriptor descriptor) {
        float[] reals = new float[256];
        for (int i = 0; i < reals.length; i++) {
            reals[i] = ((descriptor.type().element().min() < 0 ? (byte) i : i) - descriptor.zeroPoint())
                    * descriptor.scale();
        }
        return reals;
    }

    /**
     * Notes what an execution brings.
     *
     * @throws NnapiException BAD_DATA if an input is missing or too small
     */
    void bind(ExecutionRequest request) {
        for (int i = 0; i < places.length; i++) {
            if (places[i] < 0) {
                continue;
            }
            int[] given = request.inputDimensions(places[i]);
            dims[i] = given == null ? site.in(i).dimensions() : given;
            data[i] = request.input(places[i]);
            if (data[i] == null || data[i].capacity() < count(i)) {
                throw new NnapiException(
                        ResultCode.BAD_DATA,
                        "input " + places[i] + ": " + (data[i] == null ? 0 : data[i].capacity())
                                + " elements (expected: " + count(i) + ")");
            }
        }
    }

    /** Forgets the execution's buffers. */
    void release() {
        for (int i = 0; i < places.length; i++) {
            data[i] = places[i] < 0 ? data[i] : null;
        }
    }

    int[] dims(int input) {
        return dims[input];
    }

    int count(int input) {
        return OperationView.product(dims[input], 0, dims[input].length);
    }

    /** The elements as they are stored, from index 0 on. */
    Buffer data(int input) {
        return data[input];
    }

    /** The numbers that the elements stand for, from index 0 on; the array may be longer. */
    float[] reals(int input) {
        int count = count(input);
        if (reals[input] != null && places[input] < 0) {
            return reals[input];
        }
        if (data[input] instanceof ShortBuffer shorts) {
            if (widened[input] == null || widened[input].floats().capacity() != count) {
                widened[input] = SixteenBits.of(site.in(input).withDimensions(dims[input]));
            }
            reals[input] = widened[input].widened(shorts).array();
            return reals[input];
        }
        if (reals[input] == null || reals[input].length < count) {
            reals[input] = new float[count];
        }
        if (data[input] instanceof FloatBuffer floats) {
            Buffers.get(floats, 0, reals[input], 0, count);
        } else {
            ByteBuffer bytes = (ByteBuffer) data[input];
            for (int i = 0; i < count; i++) {
                reals[input][i] = ofBytes[input][bytes.get(i) & 0xff];
            }
        }
        return reals[input];
    }

    /** What each byte of an input stands for, by its unsigned value. */
    float[] ofBytes(int input) {
        return ofBytes[input];
    }

    /** 32-bit numbers, from index 0 on; the array may be longer. */
    int[] ints(int input) {
        int count = count(input);
        if (ints[input] == null || ints[input].length < count) {
            ints[input] = new int[count];
        }
        Buffers.get((IntBuffer) data[input], 0, ints[input], 0, count);
        return ints[input];
    }

    /** A scalar of either width. */
    float real(int input) {
        return data[input] instanceof ShortBuffer half ? Half.toFloat(half.get(0)) : ((FloatBuffer) data[input]).get(0);
    }

    /** A scalar, of BOOL as 0 or 1. */
    int number(int input) {
        return site.in(input).type() == OperandType.BOOL
                ? ((ByteBuffer) data[input]).get(0)
                : ((IntBuffer) data[input]).get(0);
    }

    /**
     * Demands the shape of an input.
     *
     * @throws NnapiException BAD_DATA if it has another
     */
    void require(String name, int input, int... expected) {
        if (!Arrays.equals(dims[input], expected)) {
            throw failure(name, Arrays.toString(dims[input]), Arrays.toString(expected));
        }
    }

    /**
     * Demands that each box has its least corner first.
     *
     * @param corners x1, y1, x2, y2 of each
     * @throws NnapiException BAD_DATA if one has not
     */
    void requireOrdered(float[] corners, int boxes) {
        for (int at = 0; at < boxes * BoxSuppression.BOX; at += BoxSuppression.BOX) {
            if (!(corners[at] <= corners[at + 2] && corners[at + 1] <= corners[at + 3])) {
                throw failure(
                        "box",
                        "(" + corners[at] + ", " + corners[at + 1] + ", " + corners[at + 2] + ", " + corners[at + 3]
                                + ")",
                        "x1 <= x2 and y1 <= y2");
            }
        }
    }

    /** That an execution cannot be done with a value. */
    NnapiException failure(String name, Object value, String expected) {
        return new NnapiException(
                ResultCode.BAD_DATA,
                site.operation().type() + ": " + name + ": " + value + " (expected: " + expected + ")");
    }
}
