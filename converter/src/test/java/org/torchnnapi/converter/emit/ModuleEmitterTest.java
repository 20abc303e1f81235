package org.torchnnapi.converter.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.compat.GraphUnderTest;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;

class ModuleEmitterTest {
    private static TorchScriptArchive archive(ModuleEmitter emitter) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        emitter.archive("net").write(out);
        return TorchScriptArchive.of(out.toByteArray());
    }

    private static PickledDict state(Object object) {
        return (PickledDict) ((PickledObject) object).state();
    }

    private static LoweredModel relu() {
        GraphUnderTest g = new GraphUnderTest();
        return g.model(g.op("aten::relu", g.floats(2, 3)));
    }

    @Test
    void attributesStandInPyTorchsOrder() throws IOException {
        TorchScriptArchive archive =
                archive(new ModuleEmitter(relu()).preference(1).relaxed(true));
        PickledDict module = state(state(archive.data()).get("mod"));
        assertEquals(
                List.of(
                        "training",
                        "_is_full_backward_hook",
                        "ser_model",
                        "weights",
                        "inp_mem_fmts",
                        "out_mem_fmts",
                        "out_templates",
                        "comp",
                        "compilation_preference",
                        "relax_f32_to_f16",
                        "shape_compute_module"),
                module.entries().stream().map(Map.Entry::getKey).toList());
        assertEquals(1L, module.get("compilation_preference"));
        assertEquals(true, module.get("relax_f32_to_f16"));
        assertEquals(3, archive.version());
    }

    @Test
    void manyArgumentsAndResultsAreNamed() throws IOException {
        GraphUnderTest g = new GraphUnderTest();
        Value[] inputs = new Value[6];
        Arrays.setAll(inputs, i -> g.floats(1));
        Value[] outputs =
                Arrays.stream(inputs).limit(3).map(x -> g.op("aten::relu", x)).toArray(Value[]::new);
        String source = archive(new ModuleEmitter(g.model(g.tuple(outputs))))
                .sources()
                .get("code/__torch__/torch/backends/_nnapi/prepare.py");
        assertTrue(
                source.contains(
                        "    _0 = [arg_0, arg_1, arg_2, arg_3, arg_4, arg_5]\n    retvals = (mod).forward(_0, )\n"
                                + "    _1 = (retvals[0], retvals[1], retvals[2])\n    return _1\n"),
                source);
        assertTrue(source.contains("    _2 = uninitialized("), source);
    }

    @Test
    void bundledInputsAndExtraFilesAreKept() throws IOException {
        Tensor example = Tensor.of(new float[6], 2, 3);
        TorchScriptArchive archive = archive(new ModuleEmitter(relu())
                .bundledInputs(List.of(List.of(example), List.of(example)))
                .extraFiles(Map.of("labels.txt", ByteBuffer.wrap("a\nb".getBytes(StandardCharsets.UTF_8)))));
        assertEquals("__torch__.BundleWrapper", ((PickledObject) archive.data()).className());
        assertTrue(archive.sources().get("code/__torch__.py").contains("    return [(_0,), (_1,)]\n"));
        assertEquals(
                "a\nb",
                StandardCharsets.UTF_8
                        .decode(archive.extraFiles().get("labels.txt"))
                        .toString());
    }

    @Test
    void quantizeStepsStayOutside() throws IOException {
        GraphUnderTest g = new GraphUnderTest();
        LoweredModel model = g.model(g.op("aten::relu", g.input(InputSpec.quantized(0.5, 3, 2))));
        TorchScriptArchive archive =
                archive(new ModuleEmitter(model).quantizedShell(List.of(new double[] {0.5, 3}), List.of(true)));
        assertEquals("__torch__.torch.nn.modules.container.Sequential", ((PickledObject) archive.data()).className());
        Tensor scale = (Tensor) state(state(archive.data()).get("0")).get("scale");
        assertEquals(0.5, scale.getDouble(0));
    }
}
