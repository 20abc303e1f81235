package org.torchnnapi.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.nnapi.model.ModelBuilder;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.SerializedModel;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledList;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** What files consist of. */
class InspectCommandTest {
    private static final Path DIGITS = DigitsFiles.FOLDER;

    @TempDir
    private Path folder;

    @Test
    void inspectsBothKinds() {
        String text = Run.of("inspect", DIGITS.resolve("digits-cpu.pt")).out();
        assertTrue(text.contains("aten::_convolution"), text);
        assertTrue(text.contains("\nmethods forward"), text);
        assertTrue(Run.of("inspect", DigitsFiles.converted(folder)).out().contains("DEPTHWISE_CONV_2D"));
    }

    /** Sizes are told where an argument is an operand of the NNAPI model, not where it is quantized before. */
    @Test
    void inputsAndOutputsAreToldAsFarAsTheFileTellsThem() throws IOException {
        Path whole = folder.resolve("whole.pt");
        assertEquals(
                0,
                Run.of("convert", DIGITS.resolve("digits-full.pt"), "-o", whole).code());
        String text = Run.of("inspect", whole).out();
        assertTrue(text.contains("input x: Tensor, quint8[1,3,32,32]\noutput output: Tensor, quint8[1,10]\n"), text);
        String core = Run.of("inspect", DigitsFiles.converted(folder)).out();
        assertTrue(core.contains("input input: Tensor\noutput output: Tensor\n"), core);
        JsonNode told = new ObjectMapper()
                .readTree(Run.of("inspect", whole, "--json", "-").out());
        assertEquals("[1,3,32,32]", told.get("inputs").get(0).get("sizes").toString());
        assertEquals("quint8", told.get("outputs").get(0).get("dtype").asText());
    }

    @Test
    void inspectShowsTheTensorsOfOptimisedModels() throws Exception {
        Path optimised = folder.resolve("optimised.pt");
        assertEquals(
                0,
                Run.of("optimize", DIGITS.resolve("digits-cpu.pt"), "-o", optimised)
                        .code());
        Run text = Run.of("inspect", optimised);
        assertTrue(
                text.out()
                        .matches("(?s).*CONSTANTS\\.c0 +torch\\.classes\\.xnnpack\\.Conv2dOpContext +2 "
                                + "+\\d{3}.*float32 +\\d+ +[1-9]\\d{5}.*"),
                text.out());
        Path json = folder.resolve("summary.json");
        assertEquals(text.out(), Run.of("inspect", optimised, "--json", json).out());
        Run standard = Run.of("inspect", optimised, "--json", "-");
        assertTrue(standard.out().startsWith("{"), standard.out());
        JsonNode told = new ObjectMapper().readTree(json.toFile());
        assertEquals(told, new ObjectMapper().readTree(standard.out()));
        assertEquals("CONSTANTS.c0", told.get("constants").get(0).get("name").asText());
        assertEquals(
                "output: " + optimised + " is what is read (expected: another file)",
                Run.of("inspect", optimised, "--json", optimised).err().strip());
    }

    /** Sixty modules, of which each holds the one below it twice. */
    @Test
    void sharedModulesStandOnce() throws IOException {
        StringBuilder source = new StringBuilder();
        PickledObject module = null;
        for (int i = 0; i < 60; i++) {
            source.append("class C").append(i).append("(Module):\n  __parameters__ = []\n");
            PickledDict state = new PickledDict(null);
            if (module != null) {
                source.append("  a : __torch__.C" + (i - 1) + "\n  b : __torch__.C" + (i - 1) + "\n");
                state.put("a", module).put("b", module);
            }
            module = new PickledObject("__torch__.C" + i, state);
        }
        source.append("  def forward(self: __torch__.C59, x: Tensor) -> Tensor:\n    return torch.relu(x)\n");
        Path file = folder.resolve("doubled.pt");
        new ArchiveWriter("net", 3)
                .source("code/__torch__.py", source.toString())
                .data(module)
                .write(file);
        Run run = Run.of("inspect", file);
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().lines().count() < 150, run.out());
        assertEquals(
                0,
                Run.of("inspect", file, "--html", folder.resolve("doubled.html"))
                        .code());
    }

    /** What a file stores is shown without its code: what that prints as it is loaded is not there. */
    @Test
    void nothingRuns() throws IOException {
        Path file = folder.resolve("prints.pt");
        new ArchiveWriter("net", 3)
                .source("code/__torch__.py", """
            class Net(Module):
              __parameters__ = []
              def __setstate__(self: __torch__.Net, s: int) -> NoneType:
                print("code of the model runs")
                return None
              def forward(self: __torch__.Net, x: Tensor) -> Tensor:
                return torch.relu(x)
            """)
                .data(new PickledObject("__torch__.Net", 1L))
                .write(file);
        Path html = folder.resolve("prints.html");
        for (Run run : List.of(Run.of("inspect", file), Run.of("inspect", file, "--html", html))) {
            assertEquals(0, run.code(), run.err());
            assertFalse(run.out().contains("code of the model"), run.out());
        }
        assertTrue(Run.of("run", file, "--input", "float32[2]").out().contains("code of the model runs"));
    }

    /** Names of attributes may have dots of their own, which are no levels; several modules may share one object. */
    @Test
    void modulesStandAsDeepAsTheyAre() throws IOException {
        Tensor weight = Tensor.of(DType.QINT8, new byte[6], 2, 3).withQuantization(new Quantization.PerTensor(0.5, 0));
        PickledObject packed = new PickledObject(
                "__torch__.torch.classes.quantized.LinearPackedParamsBase", ScriptTuple.of(weight, null));
        PickledObject layer = new PickledObject("__torch__.Layer", new PickledDict(null).put("_packed_params", packed));
        PickledDict top = new PickledDict(null)
                .put("features.0.0", layer)
                .put("_hoisted.features.1.conv.0._packed_params.1", packed)
                .put("_hoisted.features.2.conv.0._packed_params.2", packed)
                .put("last", new PickledObject("__torch__.Layer", new PickledDict(null).put("own", layer)));
        Path file = folder.resolve("shared.pt");
        new ArchiveWriter("net", 3)
                .source(
                        "code/__torch__.py",
                        "class Net(Module):\n  __parameters__ = []\nclass Layer(Module):\n  __parameters__ = []\n")
                .data(new PickledObject("__torch__.Net", top))
                .write(file);
        Run run = Run.of("inspect", file);
        assertEquals(0, run.code(), run.err());
        List<String> modules = run.out()
                .lines()
                .dropWhile(line -> !line.startsWith("module "))
                .skip(2)
                .limit(8)
                .map(line -> line.replaceFirst("(\\S) {2,}.*", "$1"))
                .toList();
        assertEquals(
                List.of(
                        "  features.0.0",
                        "    _packed_params",
                        "  _hoisted.features.1.conv.0._packed_params.1",
                        "  _hoisted.features.2.conv.0._packed_params.2",
                        "  last",
                        "    own"),
                modules.subList(1, 7),
                run.out());
        assertTrue(run.out().contains("Layer (same as features.0.0)"), run.out());
        assertTrue(run.out().matches("(?s).*\nqint8 +1 +6\n.*"), "one tensor, at four places: " + run.out());
    }

    @Test
    void constantsOfNnapiModelsAreShownAsWhatTheyAre() throws IOException {
        ModelBuilder builder = new ModelBuilder();
        int x = builder.addOperand(OperandDescriptor.quantized(OperandType.TENSOR_QUANT8_ASYMM, 0.5f, 128, 2));
        int bytes = builder.addOperand(OperandDescriptor.quantized(OperandType.TENSOR_QUANT8_ASYMM, 0.5f, 128, 2));
        builder.setOperandValue(bytes, ByteBuffer.wrap(new byte[] {(byte) 200, 7}));
        int activation = builder.addOperand(OperandDescriptor.scalar(OperandType.INT32));
        builder.setOperandValue(activation, 0);
        int y = builder.addOperand(OperandDescriptor.quantized(OperandType.TENSOR_QUANT8_ASYMM, 0.5f, 128, 2));
        int half = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT16, 2));
        int slope = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT16, 2));
        builder.setOperandValue(slope, ByteBuffer.wrap(new byte[] {0, 0x3e, 0, (byte) 0xc1}));
        int scaled = builder.addOperand(OperandDescriptor.tensor(OperandType.TENSOR_FLOAT16, 2));
        builder.addOperation(OperationType.ADD, new int[] {x, bytes, activation}, new int[] {y});
        builder.addOperation(OperationType.PRELU, new int[] {half, slope}, new int[] {scaled});
        builder.identifyInputsAndOutputs(new int[] {x, half}, new int[] {y, scaled});
        int[] words = SerializedModel.encode(builder.finish()).words();
        PickledList formats = new PickledList("List[int]", List.of(0L, 0L));
        PickledDict module = new PickledDict(null)
                .put("ser_model", Tensor.of(words, words.length))
                .put("weights", new PickledList("List[Tensor]", List.of()))
                .put("inp_mem_fmts", formats)
                .put("out_mem_fmts", formats)
                .put("compilation_preference", 1L)
                .put("relax_f32_to_f16", false);
        Path file = folder.resolve("constants.pt");
        new ArchiveWriter("net", 3)
                .source("code/__torch__.py", "class Part(Module):\n  __parameters__ = []\n")
                .data(new PickledObject("__torch__.Part", module))
                .write(file);
        Run run = Run.of("inspect", file);
        assertEquals(0, run.code(), run.err());
        assertTrue(run.out().matches("(?s).* TENSOR_QUANT8_ASYMM [^\n]* 200 7 *\n.*"), run.out());
        assertTrue(run.out().matches("(?s).* TENSOR_FLOAT16 [^\n]* 1\\.5 -2\\.5 *\n.*"), run.out());
    }
}
