package org.torchnnapi.nnapi.op;

import java.nio.Buffer;
import java.nio.FloatBuffer;
import java.nio.ShortBuffer;
import org.torchnnapi.nnapi.model.ChannelQuantization;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.tensor.Half;

/**
 * Elements as real numbers. Float32 as it is; float16 widened when read and rounded when written; a quantized element
 * {@code q} is {@code (q - zeroPoint) * scale} when read, and rounded to nearest (halves to even) and clamped when
 * written. Accumulate in a local variable: what is written and read back has been rounded.
 */
public abstract class FloatView {
    FloatView() {}

    abstract void bind(Buffer data);

    public abstract float get(int index);

    public abstract void set(int index, float value);

    /** The real number without rounding to float: of a quantized element exactly what it stands for. */
    double getExact(int index) {
        return get(index);
    }

    /** Stores a real number that has not been rounded to float. */
    void setExact(int index, double value) {
        set(index, (float) value);
    }

    static FloatView of(OperandDescriptor operand) {
        OperandType type = operand.type();
        if (type.element() == OperandType.Element.FLOAT32) {
            return new Single();
        }
        if (type.element() == OperandType.Element.FLOAT16) {
            return new Narrow();
        }
        if (operand.channelQuantization() != null) {
            return new PerChannel(operand);
        }
        if (type.isQuantized()) {
            return new Affine(operand);
        }
        throw new NnapiException(ResultCode.BAD_DATA, "element: " + type + " (expected: float or quantized)");
    }

    private static final class Single extends FloatView {
        private FloatBuffer data;

        @Override
        void bind(Buffer buffer) {
            data = (FloatBuffer) buffer;
        }

        @Override
        public float get(int index) {
            return data.get(index);
        }

        @Override
        public void set(int index, float value) {
            data.put(index, value);
        }
    }

    private static final class Narrow extends FloatView {
        private ShortBuffer data;

        @Override
        void bind(Buffer buffer) {
            data = (ShortBuffer) buffer;
        }

        @Override
        public float get(int index) {
            return Half.toFloat(data.get(index));
        }

        @Override
        public void set(int index, float value) {
            data.put(index, Half.fromFloat(value));
        }
    }

    private static final class Affine extends FloatView {
        private final IntView data;
        private final float scale;
        private final int zeroPoint;

        Affine(OperandDescriptor operand) {
            data = new IntView(operand.type().element());
            scale = operand.scale();
            zeroPoint = operand.zeroPoint();
        }

        @Override
        void bind(Buffer buffer) {
            data.bind(buffer);
        }

        @Override
        public float get(int index) {
            return (data.get(index) - zeroPoint) * scale;
        }

        @Override
        public void set(int index, float value) {
            setExact(index, value);
        }

        @Override
        double getExact(int index) {
            return (data.get(index) - zeroPoint) * (double) scale;
        }

        @Override
        void setExact(int index, double value) {
            data.setSaturated(index, RoundingArithmetic.halfEven(value / scale) + zeroPoint);
        }
    }

    private static final class PerChannel extends FloatView {
        private final IntView data;
        private final ChannelQuantization channels;
        private final int stride;

        PerChannel(OperandDescriptor operand) {
            data = new IntView(operand.type().element());
            channels = operand.channelQuantization();
            int inner = 1;
            for (int i = channels.channelDim() + 1; i < operand.rank(); i++) {
                inner *= operand.dimension(i);
            }
            stride = Math.max(1, inner);
        }

        private float scale(int index) {
            return channels.scale(index / stride % channels.channels());
        }

        @Override
        void bind(Buffer buffer) {
            data.bind(buffer);
        }

        @Override
        public float get(int index) {
            return data.get(index) * scale(index);
        }

        @Override
        public void set(int index, float value) {
            data.setSaturated(index, RoundingArithmetic.halfEven((double) value / scale(index)));
        }
    }
}
