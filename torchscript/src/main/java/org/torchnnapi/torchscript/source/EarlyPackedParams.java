package org.torchnnapi.torchscript.source;

import java.util.Map;
import org.torchnnapi.torchscript.ir.Type;

/**
 * What packed weights are in archives before PyTorch 1.6, whose quantized modules declare {@code _packed_params :
 * Tensor}: it held a tensor around a pointer, which {@code __setstate__} made. Today's operators give, and take, an
 * object of a custom class.
 */
final class EarlyPackedParams {
    private static final String ATTRIBUTE = "_packed_params";
    private static final String QUANTIZED = ".quantized.";
    private static final String CUSTOM = "__torch__.torch.classes.quantized.";
    private static final Map<String, String> CLASSES = Map.of(
            "Linear",
            "LinearPackedParamsBase",
            "LinearPackedParams",
            "LinearPackedParamsBase",
            "LinearReLU",
            "LinearPackedParamsBase",
            "Conv2d",
            "Conv2dPackedParamsBase",
            "ConvReLU2d",
            "Conv2dPackedParamsBase",
            "Conv3d",
            "Conv3dPackedParamsBase",
            "ConvReLU3d",
            "Conv3dPackedParamsBase");

    private EarlyPackedParams() {}

    /** The type of an attribute of a class: the declared one, but for packed weights that are declared as tensors. */
    static Type type(CodeLoader loader, String owner, String attribute, Type declared) {
        if (declared != Type.Basic.TENSOR || !attribute.equals(ATTRIBUTE) || !owner.contains(QUANTIZED)) {
            return declared;
        }
        String packed = CLASSES.get(owner.substring(owner.lastIndexOf('.') + 1));
        return packed == null ? declared : loader.type(CUSTOM + packed);
    }
}
