package org.torchnnapi.torchscript.source;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.torchscript.ir.ClassType;

class EarlyPackedParamsTest {
    @ParameterizedTest
    @CsvSource({
        "torch/nn/quantized/modules/linear, LinearPackedParams, _packed_params, "
                + "__torch__.torch.classes.quantized.LinearPackedParamsBase",
        "torch/nn/intrinsic/quantized/modules/conv_relu/___torch_mangle_2, ConvReLU2d, _packed_params, "
                + "__torch__.torch.classes.quantized.Conv2dPackedParamsBase",
        "torch/nn/quantized/modules/conv, Conv3d, _packed_params, "
                + "__torch__.torch.classes.quantized.Conv3dPackedParamsBase",
        "torch/nn/quantized/modules/conv, Conv3d, weight, Tensor",
        "torch/nn/quantized/modules/conv, Other, _packed_params, Tensor",
        "mine/layers, Conv3d, _packed_params, Tensor"
    })
    void packedWeightsAreOfTheCustomClass(String file, String name, String attribute, String type) {
        String source = "class " + name + "(Module):\n  __parameters__ = []\n  " + attribute + " : Tensor\n";
        CodeLoader loader =
                new CodeLoader(Sources.archive(Map.of("code/__torch__/" + file + ".py", source)), kind -> List.of());
        ClassType owner = (ClassType) loader.type("__torch__." + file.replace('/', '.') + "." + name);
        assertEquals(type, owner.attributes().get(owner.slot(attribute)).type().text());
    }
}
