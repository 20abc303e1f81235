package org.torchnnapi.exported.lowering;

import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;

/** Which operators programs of PyTorch 2.14 may call. */
final class TodaysOperators {
    /** The operators of tensors that TorchScript alone has, that are gone, or have other arguments today. */
    private static final Set<String> TORCHSCRIPT_ALONE = new HashSet<>(Arrays.asList(
            "aten::__interpolate",
            "aten::__interpolate.scale_list",
            "aten::__interpolate.size_list",
            "aten::__interpolate.size_list_scale_list",
            "aten::__upsample",
            "aten::__upsample.size_list",
            "aten::__upsample_bilinear",
            "aten::__upsample_bilinear.scale_list",
            "aten::__upsample_bilinear.size_list",
            "aten::__upsample_bilinear.size_list_scale_list",
            "aten::__upsample_nearest",
            "aten::__upsample_nearest.size_list",
            "aten::_no_grad_embedding_renorm_",
            "aten::_no_grad_fill_",
            "aten::_no_grad_normal_",
            "aten::_no_grad_uniform_",
            "aten::_no_grad_zero_",
            "aten::_scaled_dot_product_attention",
            "aten::as_tensor",
            "aten::as_tensor.bool",
            "aten::as_tensor.complex",
            "aten::as_tensor.float",
            "aten::as_tensor.int",
            "aten::as_tensor.list",
            "aten::backward",
            "aten::backward.TensorList",
            "aten::cholesky",
            "aten::copy.Tensor",
            "aten::copy.float",
            "aten::copy.int",
            "aten::copy_.Tensor",
            "aten::copy_.float",
            "aten::copy_.int",
            "aten::cpu",
            "aten::cuda",
            "aten::dequantize.list",
            "aten::dequantize.tensor",
            "aten::einsum.sublist",
            "aten::fill_diagonal",
            "aten::frobenius_norm",
            "aten::grad",
            "aten::mH.a",
            "aten::mT.a",
            "aten::matrix_H.a",
            "aten::mkldnn_linear",
            "aten::numpy_T.a",
            "aten::pad_sequence.side",
            "aten::qr",
            "aten::remove.Tensor",
            "aten::sort.Tensor",
            "aten::sorted.Tensor",
            "aten::split",
            "aten::stft.aligned",
            "aten::symeig",
            "aten::tensor",
            "aten::tensor.bool",
            "aten::tensor.complex",
            "aten::tensor.float",
            "aten::tensor.int",
            "aten::to.prim_Device",
            "aten::to.prim_dtype",
            "aten::to.prim_other",
            "aten::to_dense",
            "aten::to_mkldnn",
            "quantized_decomposed::dequantize_per_channel_group",
            "quantized_decomposed::quantize_per_channel_group"));

    /** The modules of Python that define operators beside PyTorch's own, by namespace. */
    static final Map<String, String> IMPORTS =
            Map.of("quantized_decomposed", "torch.ao.quantization.fx._decomposed", "torchvision", "torchvision");

    /** What an operator is called today, where its arguments are the same. */
    private static final Map<String, String> RENAMED = new HashMap<>();

    static {
        RENAMED.put("aten::index.Tensor_hacked_twin", "aten.index.Tensor");
        RENAMED.put("aten::_unsafe_index.Tensor_hacked_twin", "aten._unsafe_index.Tensor");
        RENAMED.put("aten::index_put.hacked_twin", "aten.index_put.default");
        RENAMED.put("aten::index_put_.hacked_twin", "aten.index_put_.default");
        RENAMED.put("aten::_index_put_impl_.hacked_twin", "aten._index_put_impl_.default");
        RENAMED.put("aten::_unsafe_index_put.hacked_twin", "aten._unsafe_index_put.default");
    }

    private TodaysOperators() {}

    /** What a program calls an operator, such as {@code aten.add.Tensor}; null for one that it cannot call. */
    static String target(FunctionSchema schema) {
        String renamed = RENAMED.get(schema.fullName());
        if (renamed != null) {
            return renamed;
        }
        int colons = schema.name().indexOf("::");
        String namespace = colons < 0 ? "" : schema.name().substring(0, colons);
        boolean known = namespace.equals("aten") || IMPORTS.containsKey(namespace);
        if (!known || TORCHSCRIPT_ALONE.contains(schema.fullName()) || schema.isVararg() || !hasTensors(schema)) {
            return null;
        }
        return namespace + "." + schema.name().substring(colons + 2) + "."
                + (schema.overload().isEmpty() ? "default" : schema.overload());
    }

    private static boolean hasTensors(FunctionSchema schema) {
        return schema.arguments().stream().allMatch(argument -> isPlain(argument.type()))
                && schema.returns().stream().allMatch(result -> isPlain(result.type()))
                && (schema.arguments().stream().anyMatch(argument -> isTensor(argument.type()))
                        || schema.returns().stream().anyMatch(result -> isTensor(result.type())));
    }

    /** Whether a type is none of containers that only TorchScript's own operators take. */
    private static boolean isPlain(Type type) {
        Type plain = TypeRelations.unwrapOptional(type);
        return !TypeRelations.hasVariables(plain)
                && !(plain instanceof Type.DictType)
                && !(plain instanceof Type.TupleType);
    }

    /** Whether a type is of a tensor or of a list of them. */
    static boolean isTensor(Type type) {
        Type plain = TypeRelations.unwrapOptional(type);
        return plain == Type.Basic.TENSOR
                || plain instanceof Type.ListType list
                        && TypeRelations.unwrapOptional(list.element()) == Type.Basic.TENSOR;
    }
}
