package org.torchnnapi.nnapi.op;

import java.nio.Buffer;
import java.util.Arrays;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.ResultCode;

/**
 * An operand while it is executed: the descriptor, the shape it has by now, and its data in a typed buffer. Where the
 * model left a dimension open, 0 here means empty once {@link #hasShape} says so.
 */
public final class OperandValue {
    /** Java's arrays and buffers end here. */
    private static final long MAX_ELEMENTS = Integer.MAX_VALUE - 8;

    private final OperandDescriptor declared;
    private final OperandType type;
    private int[] dimensions;
    private int count;
    private boolean shaped;
    private boolean omitted;
    private boolean known;
    private boolean growable = true;
    private boolean deferred;
    private Buffer data;
    private SubgraphRunner subgraph;
    private FloatView floats;
    private IntView ints;

    public OperandValue(OperandDescriptor declared) {
        this.declared = declared;
        type = declared.type();
        dimensions = declared.dimensions();
        if (declared.isFullySpecified()) {
            shape(dimensions);
        }
    }

    public OperandDescriptor declared() {
        return declared;
    }

    public OperandType type() {
        return type;
    }

    /** The shape by now; not to be changed. */
    public int[] dimensions() {
        return dimensions;
    }

    /** Whether {@link #dimensions} are final. */
    public boolean hasShape() {
        return shaped;
    }

    /** Number of elements of the shape. */
    public int count() {
        return count;
    }

    public boolean isOmitted() {
        return omitted;
    }

    /** Marks the operand as left out, or not. */
    public void omit(boolean leftOut) {
        omitted = leftOut;
    }

    /** Whether the data may be read: a constant, an input that was given, or computed. */
    public boolean isKnown() {
        return known;
    }

    public void setKnown(boolean isKnown) {
        known = isKnown;
    }

    /** While set, {@link #resize} only notes the shape: a plan gives the data later. */
    public void deferAllocation(boolean defer) {
        deferred = defer;
    }

    /** What runs the model a SUBGRAPH operand stands for, else null. */
    public SubgraphRunner subgraph() {
        return subgraph;
    }

    public void setSubgraph(SubgraphRunner runner) {
        subgraph = runner;
    }

    /**
     * The data as a FloatBuffer, IntBuffer, ShortBuffer or ByteBuffer, by {@link OperandBuffers#view}; null before
     * there is any.
     */
    public Buffer data() {
        return data;
    }

    /**
     * Gives the data.
     *
     * @param buffer a typed view from {@link OperandBuffers#view}, or null for none yet
     * @param mayGrow whether {@link #resize} may replace it by a larger one
     */
    public void setData(Buffer buffer, boolean mayGrow) {
        growable = mayGrow;
        if (buffer != data) {
            data = buffer;
            if (floats != null) {
                floats.bind(buffer);
            }
            if (ints != null) {
                ints.bind(buffer);
            }
        }
    }

    /** Sets the shape without touching data. */
    public void shape(int... newDimensions) {
        if (!Arrays.equals(newDimensions, dimensions) || !shaped) {
            long elements = 1;
            for (int dimension : newDimensions) {
                if (dimension < 0) {
                    throw new NnapiException(
                            ResultCode.OP_FAILED,
                            "shape: " + Arrays.toString(newDimensions) + " (expected: sizes >= 0)");
                }
                elements *= dimension;
                if (elements > MAX_ELEMENTS) {
                    throw new NnapiException(
                            ResultCode.OUT_OF_MEMORY,
                            "shape: " + Arrays.toString(newDimensions) + " (expected: at most " + MAX_ELEMENTS
                                    + " elements)");
                }
            }
            if (dimensions != newDimensions) {
                dimensions = newDimensions.clone();
            }
            count = (int) elements;
            shaped = true;
        }
    }

    /** Forgets the shape of the last execution: back to what the model declares. */
    public void resetShape() {
        if (!declared.isFullySpecified()) {
            dimensions = declared.dimensions();
            count = 0;
            shaped = false;
        }
    }

    /**
     * Sets the shape and makes room for it.
     *
     * @throws NnapiException OUTPUT_INSUFFICIENT_SIZE if the caller's buffer is too small, BAD_DATA if it contradicts
     *     the model
     */
    public void resize(int... newDimensions) {
        checkDeclared(newDimensions);
        shape(newDimensions);
        if (!deferred && !fits()) {
            if (!growable) {
                throw new NnapiException(
                        ResultCode.OUTPUT_INSUFFICIENT_SIZE,
                        "output buffer: " + (data == null ? 0 : data.capacity()) + " elements (expected: " + count
                                + ")");
            }
            setData(OperandBuffers.allocate(type, count), true);
        }
    }

    /** Whether the data has room for the shape. */
    public boolean fits() {
        return data != null && data.capacity() >= count;
    }

    private void checkDeclared(int[] computed) {
        int rank = declared.rank();
        if (rank == 0 && type.isTensor()) {
            return;
        }
        boolean fits = rank == computed.length;
        for (int i = 0; fits && i < rank; i++) {
            fits = declared.dimension(i) == 0 || declared.dimension(i) == computed[i];
        }
        if (!fits) {
            throw new NnapiException(
                    ResultCode.BAD_DATA,
                    "computed shape: " + Arrays.toString(computed) + " (expected: as declared, "
                            + Arrays.toString(declared.dimensions()) + ")");
        }
    }

    /** Elements as real numbers: floats as they are (float16 widened and rounded), quantized ones scaled. */
    public FloatView floats() {
        if (floats == null) {
            floats = FloatView.of(declared);
            floats.bind(data);
        }
        return floats;
    }

    /** Elements as stored integers: INT32, BOOL8 as 0 or 1, quantized ones unscaled, floats as their raw bits. */
    public IntView ints() {
        if (ints == null) {
            ints = new IntView(type.element());
            ints.bind(data);
        }
        return ints;
    }
}
