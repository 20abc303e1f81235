package org.torchnnapi.converter.emit;

import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.shape.FloatText;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;

/**
 * Quantize and dequantize steps that stay on the CPU around a converted module (mode core). With one input and one
 * output these are PyTorch's Quantize, the module and DeQuantize in a Sequential, as in its tutorial; otherwise one
 * module that treats each input and output as it needs.
 */
final class QuantizedShell {
    private static final String MODULES = "__torch__.torch.ao.nn.quantized.modules";
    private static final String QUANTIZE = MODULES + ".Quantize";
    private static final String DEQUANTIZE = MODULES + ".DeQuantize";
    private static final String CONTAINER = "__torch__.torch.nn.modules.container";
    private static final String SEQUENTIAL = CONTAINER + ".Sequential";
    private static final String GENERAL_PACKAGE = "__torch__.torchnnapi";
    static final String GENERAL = GENERAL_PACKAGE + ".QuantizedInterfaceWrapper";

    /** How an input is quantized before the NNAPI model. */
    public record Step(double scale, int zeroPoint) {}

    private QuantizedShell() {}

    /**
     * Adds the sources and returns the outer module.
     *
     * @param inputs per input the quantization, or null where it is passed on
     * @param outputs per output whether it is dequantized
     */
    static PickledObject around(
            PickledObject inner,
            LoweredModel model,
            List<Step> inputs,
            List<Boolean> outputs,
            Map<String, String> sources) {
        boolean plain = inputs.size() == 1
                && inputs.get(0) != null
                && outputs.equals(List.of(true))
                && model.results() == LoweredModel.Results.TENSOR;
        return plain ? sequential(inner, inputs.get(0), sources) : general(inner, model, inputs, outputs, sources);
    }

    private static PickledObject sequential(PickledObject inner, Step step, Map<String, String> sources) {
        sources.put(ModuleSources.record(MODULES), quantizeSource() + dequantizeSource());
        sources.put(ModuleSources.record(CONTAINER), sequentialSource());
        PickledDict quantize = new PickledDict(null)
                .put("scale", Tensor.of(new float[] {(float) step.scale()}, 1))
                .put("zero_point", Tensor.of(new long[] {step.zeroPoint()}, 1))
                .put("training", false)
                .put("_is_full_backward_hook", null)
                .put("dtype", (long) DType.QUINT8.code());
        PickledDict dequantize = new PickledDict(null).put("training", false).put("_is_full_backward_hook", null);
        return new PickledObject(
                SEQUENTIAL,
                ModuleTree.module()
                        .put("0", new PickledObject(QUANTIZE, quantize))
                        .put("1", inner)
                        .put("2", new PickledObject(DEQUANTIZE, dequantize)));
    }

    private static String quantizeSource() {
        return "class Quantize(Module):\n  __parameters__ = []\n  __buffers__ = [\"scale\", \"zero_point\", ]\n"
                + "  scale : Tensor\n  zero_point : Tensor\n  training : bool\n  _is_full_backward_hook : NoneType\n "
                + " dtype : int\n"
                + "  def forward(self: " + QUANTIZE + ",\n    X: Tensor) -> Tensor:\n"
                + "    scale = self.scale\n    _0 = float(scale)\n    zero_point = self.zero_point\n    _1 = "
                + "int(zero_point)\n"
                + "    dtype = self.dtype\n    _2 = torch.quantize_per_tensor(X, _0, _1, dtype)\n    return _2\n";
    }

    private static String dequantizeSource() {
        return ModuleSources.classHead("DeQuantize", "Optional[bool]") + "  def forward(self: " + DEQUANTIZE
                + ",\n    Xq: Tensor) -> Tensor:\n    return torch.dequantize(Xq)\n";
    }

    private static String sequentialSource() {
        return ModuleSources.classHead("Sequential", "NoneType")
                + "  __annotations__[\"0\"] = " + QUANTIZE + "\n  __annotations__[\"1\"] = " + ModuleSources.INTERFACE
                + "\n  __annotations__[\"2\"] = " + DEQUANTIZE + "\n  def forward(self: " + SEQUENTIAL
                + ",\n    input: Tensor) -> Tensor:\n"
                + "    _0 = getattr(self, \"0\")\n    _1 = getattr(self, \"1\")\n    _2 = getattr(self, \"2\")\n"
                + "    input0 = (_0).forward(input, )\n    input1 = (_1).forward(input0, )\n    return "
                + "(_2).forward(input1, )\n"
                + "  def __len__(self: " + SEQUENTIAL + ") -> int:\n    return 3\n";
    }

    private static PickledObject general(
            PickledObject inner,
            LoweredModel model,
            List<Step> inputs,
            List<Boolean> outputs,
            Map<String, String> sources) {
        StringBuilder out = new StringBuilder(ModuleSources.classHead("QuantizedInterfaceWrapper", "Optional[bool]"))
                .append("  mod : ")
                .append(ModuleSources.INTERFACE)
                .append("\n  def forward(self: ")
                .append(GENERAL);
        StringBuilder body = new StringBuilder("    mod = self.mod\n");
        StringBuilder arguments = new StringBuilder();
        for (int i = 0; i < inputs.size(); i++) {
            out.append(",\n    arg_").append(i).append(": Tensor");
            String argument = "arg_" + i;
            if (inputs.get(i) != null) {
                body.append("    quantized_")
                        .append(i)
                        .append(" = torch.quantize_per_tensor(arg_")
                        .append(i)
                        .append(", ")
                        .append(FloatText.torchScript(inputs.get(i).scale()))
                        .append(", ")
                        .append(inputs.get(i).zeroPoint())
                        .append(", ")
                        .append(DType.QUINT8.code())
                        .append(")\n");
                argument = "quantized_" + i;
            }
            arguments.append(argument).append(", ");
        }
        out.append(") -> ")
                .append(ModuleSources.resultType(model))
                .append(":\n")
                .append(body)
                .append("    results = (mod).forward(")
                .append(arguments)
                .append(")\n");
        StringBuilder items = new StringBuilder();
        boolean single = model.results() == LoweredModel.Results.TENSOR;
        for (int i = 0; i < outputs.size(); i++) {
            String result = single
                    ? "results"
                    : (model.results() == LoweredModel.Results.TUPLE ? "(results)" : "results") + "[" + i + "]";
            out.append("    result_")
                    .append(i)
                    .append(" = ")
                    .append(outputs.get(i) ? "torch.dequantize(" + result + ")" : result)
                    .append('\n');
            items.append(i == 0 ? "" : ", ").append("result_").append(i);
        }
        String returned = switch (model.results()) {
            case TENSOR -> "result_0";
            case TUPLE -> "(" + items + (outputs.size() == 1 ? ",)" : ")");
            case LIST -> "[" + items + "]";
        };
        sources.put(
                ModuleSources.record(GENERAL_PACKAGE),
                out.append("    return ").append(returned).append('\n').toString());
        return new PickledObject(GENERAL, ModuleTree.module().put("mod", inner));
    }
}
