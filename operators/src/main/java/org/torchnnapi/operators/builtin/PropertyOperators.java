package org.torchnnapi.operators.builtin;

import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.value.TorchDevice;

/** Attributes of tensors ({@code x.dtype}) and devices. All tensors are on the CPU, dense and without gradients. */
public final class PropertyOperators implements OperatorFamily {
    private static final long STRIDED = 0;

    @Override
    public void register(Registrar r) {
        r.op(
                "prim::dtype(Tensor a) -> int",
                in -> (long) ((Tensor) in[0]).dtype().code(),
                OperatorTrait.READS_KIND,
                OperatorTrait.READS_GEOMETRY);
        Registrar kinds = r.with(OperatorTrait.READS_KIND, OperatorTrait.READS_GEOMETRY);
        kinds.op("prim::device(Tensor a) -> Device", in -> TorchDevice.CPU);
        kinds.op("prim::layout(Tensor a) -> int", in -> STRIDED);
        r.op("prim::data(Tensor(a) a) -> Tensor(a)", in -> in[0]);
        r.op("prim::grad(Tensor a) -> Tensor(*)", in -> null);
        r.op(
                "prim::requires_grad(Tensor a) -> bool",
                in -> ((Tensor) in[0]).requiresGrad(),
                OperatorTrait.READS_GEOMETRY);
        r.op(
                "prim::is_quantized(Tensor a) -> bool",
                in -> ((Tensor) in[0]).dtype().isQuantized(),
                OperatorTrait.READS_GEOMETRY);
        for (String flag : new String[] {
            "is_cuda",
            "is_sparse",
            "is_sparse_csr",
            "is_mkldnn",
            "is_mps",
            "is_vulkan",
            "is_ipu",
            "is_xpu",
            "is_ort",
            "is_meta",
            "is_xla",
            "is_mtia",
            "is_maia",
            "is_hpu",
            "is_lazy",
            "is_privateuseone"
        }) {
            kinds.op("prim::" + flag + "(Tensor a) -> bool", in -> false);
        }
        r.op(
                "prim::itemsize(Tensor a) -> int",
                in -> (long) ((Tensor) in[0]).dtype().bytes(),
                OperatorTrait.READS_GEOMETRY);
        r.op(
                "prim::nbytes(Tensor a) -> int",
                in -> ((Tensor) in[0]).numel() * ((Tensor) in[0]).dtype().bytes(),
                OperatorTrait.READS_GEOMETRY);
        r.op("prim::is_cpu(Tensor a) -> bool", in -> true);
        r.op("prim::name(Tensor a) -> str?", in -> null);
        r.op("prim::type(Device self) -> str", in -> ((TorchDevice) in[0]).type());
        r.op(
                "prim::index(Device self) -> int?",
                in -> ((TorchDevice) in[0]).index() < 0 ? null : (long) ((TorchDevice) in[0]).index());
        r.op("aten::device(str a) -> Device", in -> TorchDevice.parse((String) in[0]));
        r.op(
                "aten::device.with_index(str type, int index) -> Device",
                in -> new TorchDevice((String) in[0], (int) (long) (Long) in[1]));
    }
}
