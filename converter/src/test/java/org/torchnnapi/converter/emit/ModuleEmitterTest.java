package org.torchnnapi.converter.emit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.model.ModelAssembler;
import org.torchnnapi.converter.model.OperandLayout;
import org.torchnnapi.converter.model.OutputTemplate;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
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

    /** A RELU of each of some inputs; those of the first are returned. */
    private static LoweredModel relus(int inputs, int returned, LoweredModel.Results results) {
        ModelAssembler model = new ModelAssembler();
        List<LoweredModel.Returned> returns = new ArrayList<>();
        TensorOperand tensor =
                new TensorOperand(OperandType.TENSOR_FLOAT32, new int[] {6}, OperandLayout.CONTIGUOUS, 0, 0);
        for (int i = 0; i < inputs; i++) {
            int in = model.add(tensor);
            model.addInput(in);
            if (i < returned) {
                int out = model.add(tensor);
                model.operation(OperationType.RELU, out, in);
                model.addOutput(out);
                model.addTemplate(new OutputTemplate(DType.FLOAT32, new int[] {6}, 0, 0));
                returns.add(new LoweredModel.Returned(false, i));
            }
        }
        return new LoweredModel(
                model,
                Collections.nCopies(inputs, OperandLayout.CONTIGUOUS),
                Collections.nCopies(returned, OperandLayout.CONTIGUOUS),
                results,
                returns);
    }

    private static LoweredModel relu() {
        return relus(1, 1, LoweredModel.Results.TENSOR);
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
        String source = archive(new ModuleEmitter(relus(6, 3, LoweredModel.Results.TUPLE)))
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
    void extraFilesAreKept() throws IOException {
        TorchScriptArchive archive = archive(new ModuleEmitter(relu())
                .extraFiles(Map.of("labels.txt", ByteBuffer.wrap("a\nb".getBytes(StandardCharsets.UTF_8)))));
        assertEquals(
                "a\nb",
                StandardCharsets.UTF_8
                        .decode(archive.extraFiles().get("labels.txt"))
                        .toString());
    }
}
