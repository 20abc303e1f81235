package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.integer;
import static org.torchnnapi.operators.support.Args.tensor;
import static org.torchnnapi.operators.support.Args.tensors;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.operators.support.MemoryOrder;
import org.torchnnapi.operators.support.TensorViews;
import org.torchnnapi.operators.support.Tensors;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/**
 * Operators below those that Python has: forms that give what others overwrite, with the masks that gradients need, or
 * questions of memory.
 */
public final class FunctionalForms implements OperatorFamily {
    @Override
    public void register(Registrar r) {
        r.composite(
                "aten::embedding_renorm(Tensor self, Tensor indices, float max_norm, float norm_type) -> Tensor",
                "return torch.embedding_renorm_(torch.clone(self), indices, max_norm, norm_type)",
                OperatorTrait.DATA_DEPENDENT);
        r.composite(
                "aten::resize_as(Tensor self, Tensor the_template, *, MemoryFormat? memory_format=None) -> Tensor",
                "return torch.resize_as_(torch.clone(self), the_template, memory_format=memory_format)");
        r.composite(
                "aten::quantized_batch_norm(Tensor input, Tensor? weight, Tensor? bias, Tensor mean, Tensor var, "
                        + "float eps, float output_scale, "
                        + "int output_zero_point) -> Tensor",
                "return ops.quantized.batch_norm(input, weight, bias, mean, var, eps, output_scale, "
                        + "output_zero_point)");
        r.composite(
                "aten::rrelu_with_noise(Tensor self, Tensor noise, Scalar lower=0.125, Scalar "
                        + "upper=0.33333333333333331, bool training=False, "
                        + "Generator? generator=None) -> Tensor",
                "return torch.rrelu(self, lower, upper, training, generator)",
                OperatorTrait.TRAINS);
        fakeQuantization(r);
        memory(r);
        r.op(
                "aten::multilabel_margin_loss_forward(Tensor self, Tensor target, int reduction) -> (Tensor output, "
                        + "Tensor is_target)",
                a -> {
                    if (!Arrays.equals(tensor(a, 0).sizes(), tensor(a, 1).sizes())) {
                        throw new IllegalArgumentException(
                                "target: " + tensor(a, 1) + " (expected: of the sizes of " + tensor(a, 0) + ")");
                    }
                    return new Object[] {
                        LossMultiMargin.labels(tensor(a, 0), tensor(a, 1), integer(a, 2)),
                        isTarget(tensor(a, 0), tensor(a, 1))
                    };
                });
        r.op("aten::unflatten_dense_tensors(Tensor flat, Tensor[] tensors) -> Tensor[]", a -> {
            List<Tensor> parts = new ArrayList<>();
            long at = 0;
            for (Tensor like : tensors(a, 1)) {
                parts.add(TensorViews.reshape(TensorViews.narrow(tensor(a, 0), 0, at, like.numel()), like.sizes()));
                at += like.numel();
            }
            return Args.list(parts);
        });
    }

    /** With where a step lies between the least and the greatest one. */
    private static void fakeQuantization(Registrar r) {
        r.composite(
                "aten::fake_quantize_per_tensor_affine_cachemask(Tensor self, float scale, int zero_point, int "
                        + "quant_min, int quant_max) "
                        + "-> (Tensor output, Tensor mask)",
                """
            steps = torch.add(torch.round(torch.mul(self, torch.reciprocal(torch.scalar_tensor(scale)))), zero_point)
            inside = torch.logical_and(torch.ge(steps, quant_min), torch.le(steps, quant_max))
            return (torch.fake_quantize_per_tensor_affine(self, scale, zero_point, quant_min, quant_max), inside)""");
        r.composite(
                "aten::fake_quantize_per_channel_affine_cachemask(Tensor self, Tensor scale, Tensor zero_point, int "
                        + "axis, int quant_min, int quant_max) "
                        + "-> (Tensor output, Tensor mask)",
                """
            own = torch.remainder(torch.add(axis, torch.dim(self)), torch.dim(self))
            shape = torch.add(torch.add(torch.mul([1], own), [-1]), torch.mul([1], \
            torch.sub(torch.sub(torch.dim(self), own), 1)))
            zeros = torch.to(torch.reshape(zero_point, shape), ops.prim.dtype(self))
            steps = torch.add(torch.round(torch.mul(self, torch.reciprocal(torch.reshape(scale, shape)))), zeros)
            inside = torch.logical_and(torch.ge(steps, quant_min), torch.le(steps, quant_max))
            return (torch.fake_quantize_per_channel_affine(self, scale, zero_point, axis, quant_min, quant_max), \
            inside)""");
    }

    private static void memory(Registrar r) {
        r.op(
                "aten::is_non_overlapping_and_dense(Tensor self) -> bool",
                a -> MemoryOrder.isDense(tensor(a, 0)),
                OperatorTrait.READS_GEOMETRY);
        r.op(
                "aten::is_strides_like_format(Tensor self, MemoryFormat memory_format) -> bool",
                a -> MemoryOrder.suggested(tensor(a, 0)) == MemoryFormat.ofCode(integer(a, 1)),
                OperatorTrait.READS_GEOMETRY);
        r.op(
                "aten::empty_quantized(int[] size, Tensor qtensor, *, ScalarType? dtype=None, Layout? layout=None, "
                        + "Device? device=None, bool? pin_memory=None, "
                        + "MemoryFormat? memory_format=None) -> Tensor",
                a -> Tensors.empty(
                                Args.dtypeOr(a, 2, tensor(a, 1).dtype()),
                                Args.formatOr(a, 6, MemoryFormat.CONTIGUOUS),
                                Args.ints(a, 0))
                        .withQuantization(tensor(a, 1).quantization()));
    }

    /** 1 at the classes that a row of labels names, up to its first negative one. */
    private static Tensor isTarget(Tensor t, Tensor target) {
        long[] labels = Elements.longs(target);
        double[] wanted = new double[labels.length];
        int classes = t.rank() == 0 ? 1 : t.size(-1);
        for (int row = 0; row < labels.length; row += classes) {
            for (int i = row; i < row + classes && labels[i] >= 0; i++) {
                wanted[row + (int) labels[i]] = 1;
            }
        }
        return Elements.ofDoubles(t.dtype().isFloating() ? t.dtype() : DType.FLOAT32, wanted, target.sizes());
    }
}
