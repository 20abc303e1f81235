import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.bytedeco.javacpp.BytePointer;
import org.bytedeco.pytorch.DoubleComplex;
import org.bytedeco.pytorch.GenericDict;
import org.bytedeco.pytorch.GenericDictIterator;
import org.bytedeco.pytorch.GenericList;
import org.bytedeco.pytorch.IValue;
import org.bytedeco.pytorch.IValueVector;
import org.bytedeco.pytorch.Tensor;
import org.bytedeco.pytorch.TupleElements;
import org.bytedeco.pytorch.global.torch.MemoryFormat;

/**
 * Writes values of PyTorch as bytes that {@code torch-nnapi conformance captured} reads: a byte for the kind, the rest
 * little endian.
 */
final class SavedValues {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();

    private SavedValues() {}

    static byte[] of(IValue value) {
        SavedValues values = new SavedValues();
        values.write(value);
        return values.out.toByteArray();
    }

    static byte[] tuple(IValueVector items) {
        SavedValues values = new SavedValues();
        values.kind('U').integer((int) items.size());
        for (long i = 0; i < items.size(); i++) {
            values.write(items.get(i));
        }
        return values.out.toByteArray();
    }

    private void write(IValue value) {
        if (value.isNone()) {
            kind('N');
        } else if (value.isTensor()) {
            tensor(value.toTensor());
        } else if (value.isBool()) {
            kind('?').out.write(value.toBool() ? 1 : 0);
        } else if (value.isInt()) {
            kind('I').integer(value.toInt());
        } else if (value.isDouble()) {
            kind('D').real(value.toDouble());
        } else if (value.isComplexDouble()) {
            DoubleComplex number = value.toComplexDouble();
            kind('C').real(number.real());
            real(number.imag());
        } else if (value.isString()) {
            kind('S').text(value.toStringRef().getString());
        } else if (value.isList()) {
            GenericList list = value.toList();
            kind('L').text("Any").integer((int) list.size());
            for (long i = 0; i < list.size(); i++) {
                write(list.get(i));
            }
        } else if (value.isTuple()) {
            TupleElements elements = value.toTuple().elements();
            kind('U').integer((int) elements.size());
            for (long i = 0; i < elements.size(); i++) {
                write(elements.get(i));
            }
        } else if (value.isGenericDict()) {
            GenericDict dict = value.toGenericDict();
            kind('M').text("Any").text("Any").integer((int) dict.size());
            for (GenericDictIterator i = dict.begin(); !i.equals(dict.end()); i.increment()) {
                write(i.access().key());
                write(i.access().value());
            }
        } else {
            kind('O').text(value.tagKind().getString());
        }
    }

    private void tensor(Tensor given) {
        if (given.is_sparse()) {
            kind('O').text("sparse tensor");
            return;
        }
        Tensor tensor = given.resolve_conj().resolve_neg();
        int rank = (int) tensor.dim();
        boolean last = rank == 4 && !tensor.is_contiguous() && tensor.is_contiguous(MemoryFormat.ChannelsLast);
        boolean last3d = rank == 5 && !tensor.is_contiguous() && tensor.is_contiguous(MemoryFormat.ChannelsLast3d);
        kind('T').out.write(tensor.scalar_type().value);
        out.write(last ? 1 : last3d ? 2 : 0);
        out.write(rank);
        for (int d = 0; d < rank; d++) {
            integer(tensor.sizes().get(d));
        }
        Tensor plain = tensor;
        if (tensor.is_quantized()) {
            out.write(0);
            real(tensor.q_scale());
            integer(tensor.q_zero_point());
            plain = tensor.int_repr();
        }
        plain = plain.contiguous(MemoryFormat.Contiguous);
        byte[] data = new byte[(int) plain.nbytes()];
        if (data.length > 0) {
            new BytePointer(plain.data_ptr()).get(data);
        }
        integer((long) data.length);
        out.writeBytes(data);
    }

    private SavedValues kind(char kind) {
        out.write(kind);
        return this;
    }

    private SavedValues text(String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        integer(bytes.length);
        out.writeBytes(bytes);
        return this;
    }

    private void integer(int value) {
        out.writeBytes(ByteBuffer.allocate(Integer.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(value)
                .array());
    }

    private void integer(long value) {
        out.writeBytes(ByteBuffer.allocate(Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putLong(value)
                .array());
    }

    private void real(double value) {
        integer(Double.doubleToRawLongBits(value));
    }
}
