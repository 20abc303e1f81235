package org.torchnnapi.converter.compat;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.converter.shape.ShapeProgram;
import org.torchnnapi.converter.shape.SizeExpression;
import org.torchnnapi.tensor.DType;

/** Templates from which a converted model allocates its outputs. */
final class OutputTemplates {
    private OutputTemplates() {}

    /**
     * @param shape sizes of the template; {@link TensorOperand#AT_LOAD} stands for the operand's computed size and
     *     {@link TensorOperand#AT_RUN} becomes an empty dimension, which the run resizes
     */
    static ShapeProgram.Template of(CompatLoweringContext.Ref out, int[] shape) {
        List<SizeExpression> sizes = new ArrayList<>();
        for (int d = 0; d < shape.length; d++) {
            sizes.add(
                    shape[d] == TensorOperand.AT_LOAD
                            ? new SizeExpression.OperandSize(out.id(), d)
                            : new SizeExpression.Number(Math.max(shape[d], 0)));
        }
        DType dtype = switch (out.operand().type()) {
            case TENSOR_FLOAT32 -> DType.FLOAT32;
            case TENSOR_INT32 -> DType.INT32;
            case TENSOR_QUANT8_ASYMM -> DType.QUINT8;
            case TENSOR_QUANT16_SYMM, TENSOR_QUANT16_ASYMM -> DType.INT16;
            default ->
                throw new Refused(
                        "outputs must have a dtype that PyTorch knows",
                        out.operand().text(),
                        "float32, int32, quint8 or int16",
                        "");
        };
        return new ShapeProgram.Template(
                dtype, sizes, out.operand().scale(), out.operand().zeroPoint());
    }
}
