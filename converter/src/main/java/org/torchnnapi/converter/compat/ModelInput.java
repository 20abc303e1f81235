package org.torchnnapi.converter.compat;

import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.tensor.DType;

/** The operands that stand for a model's inputs. */
public final class ModelInput {
    private ModelInput() {}

    /**
     * The operand that an input's description asks for.
     *
     * @param int16 whether int16 tensors may stand for 16-bit quantized ones
     * @throws Refused if NNAPI has no such inputs
     */
    public static TensorOperand operand(InputSpec spec, boolean int16) {
        OperandLayout layout = spec.channelsLast() ? OperandLayout.CHANNELS_LAST : OperandLayout.CONTIGUOUS;
        return new TensorOperand(type(spec, int16), spec.shape(), layout, spec.scale(), spec.zeroPoint());
    }

    private static OperandType type(InputSpec spec, boolean int16) {
        boolean allowed = spec.dtype() != DType.INT16 || int16 && spec.int16Type() != null;
        boolean needsScale =
                spec.dtype() == DType.QUINT8 || spec.dtype() == DType.QINT32 || spec.dtype() == DType.INT16;
        if (needsScale && allowed && !(spec.scale() > 0 && spec.scale() < Double.POSITIVE_INFINITY)) {
            throw new Refused(
                    "a quantized input has a scale",
                    "scale " + spec.scale(),
                    "a finite number above 0",
                    "give scale and zero point");
        }
        return switch (spec.dtype()) {
            case FLOAT32 -> OperandType.TENSOR_FLOAT32;
            case INT32 -> OperandType.TENSOR_INT32;
            case QUINT8 -> OperandType.TENSOR_QUANT8_ASYMM;
            case QINT32 -> {
                if (spec.zeroPoint() != 0) {
                    throw new Refused("qint32 inputs are symmetric", "zero point " + spec.zeroPoint(), "0", "");
                }
                yield OperandType.TENSOR_INT32;
            }
            case INT16 -> {
                if (!int16) {
                    throw new Refused(
                            "int16 tensors only stand for 16-bit quantized ones",
                            "int16",
                            "float32, int32 or quint8",
                            "allow it with use_int16_for_qint16");
                }
                if (spec.int16Type() == null) {
                    throw new Refused(
                            "an int16 input needs its NNAPI type",
                            "none given",
                            "TENSOR_QUANT16_SYMM or TENSOR_QUANT16_ASYMM",
                            "give the type with scale and zero point");
                }
                if (spec.zeroPoint() != 0) {
                    throw new Refused(
                            "int16 numbers are NNAPI's numbers only with a zero point of 0",
                            "zero point " + spec.zeroPoint(),
                            "0",
                            "use TENSOR_QUANT16_SYMM, or quantize with a zero point of 0");
                }
                yield spec.int16Type();
            }
            default ->
                throw new Refused(
                        "inputs must have a dtype that NNAPI knows",
                        spec.dtype().torchName(),
                        "float32, int32, quint8 or qint32",
                        "convert the input before the model");
        };
    }
}
