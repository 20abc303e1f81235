package org.torchnnapi.testkit.torch;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.ArchiveWriter;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;

/** How conversions are judged, of models that PyTorch's converter takes and of others. */
class ConvertSuiteTest {
    @TempDir
    private Path folder;

    private Outcome rejected(String expression, float... output) throws Exception {
        return new ConvertSuite(Runtimes.standard(), null)
                .run(test(expression, "\"accepted\":false", "nnapi-x-rejected", output));
    }

    private TorchCase test(String expression, String nnapi, String name, float... output) throws Exception {
        try (OutputStream out = Files.newOutputStream(folder.resolve("model.pt"))) {
            new ArchiveWriter("net", 3)
                    .source(
                            "code/__torch__/net.py",
                            "class Net(Module):\n  __parameters__ = []\n  __buffers__ = []\n"
                                    + "  training : bool\n  def forward(self: __torch__.net.Net,\n    x: Tensor) -> "
                                    + "Tensor:\n    return "
                                    + expression + "\n")
                    .data(new PickledObject("__torch__.net.Net", new PickledDict(null).put("training", false)))
                    .write(out);
        }
        Npy.write(folder.resolve("in0.npy"), Tensor.of(new float[] {-1, 2}, 1, 2));
        Npy.write(folder.resolve("out0.npy"), Tensor.of(output, 1, 2));
        String tensor =
                "{\"kind\":\"tensor\",\"file\":\"%s\",\"dtype\":\"float32\",\"shape\":[1,2],\"memory_format\":\"conti"
                        + "guous\"}";
        Files.writeString(
                folder.resolve("case.json"),
                "{\"model\":\"model.pt\",\"tolerance\":{\"atol\":1e-6,\"rtol\":0},\"runs\":[{\"inputs\":["
                        + String.format(tensor, "in0.npy") + "],\"output\":" + String.format(tensor, "out0.npy")
                        + "}],\"nnapi\":{" + nnapi + ",\"inputs\":[{\"dtype\":\"float32\",\"shape\":[1,2]}]}}");
        return new TorchCase(
                name,
                folder,
                new com.fasterxml.jackson.databind.ObjectMapper()
                        .readTree(folder.resolve("case.json").toFile()));
    }

    @Test
    void conversionsThatPyTorchMakesTooAreJudgedByTheirValues() throws Exception {
        Files.write(folder.resolve("ser.bin"), new byte[4]);
        String accepted = "\"accepted\":true,\"agrees\":true,\"ser_model\":\"ser.bin\",\"operations\":[\"RELU\"],"
                + "\"tolerance\":{\"atol\":1e-6,\"rtol\":0}";
        ConvertSuite suite = new ConvertSuite(Runtimes.standard(), null);
        assertEquals(Outcome.passed(), suite.run(test("torch.relu(x)", accepted, "nnapi-x", 0, 2)));
        assertEquals(
                Outcome.Status.FAILED,
                suite.run(test("torch.relu(x)", accepted, "nnapi-x", 0, 3)).status());
        assertEquals(Outcome.passed(), suite.run(test("torch.abs(torch.abs(x))", accepted, "nnapi-x", 1, 2)));
        assertEquals(
                "3 of PyTorch's own conversions: 0 serialized models equal by bytes, 0 models of fewer operations, 1 "
                        + "of more",
                suite.figures());
        assertEquals(
                Outcome.Status.FAILED,
                suite.run(test("torch.frobnicate(x)", accepted, "nnapi-x", 1, 2))
                        .status());
    }

    @Test
    void rightConversionsAndRefusalsPass() throws Exception {
        assertEquals(Outcome.passed(), rejected("torch.relu(x)", 0, 2));
        assertEquals(Outcome.passed(), rejected("torch.frobnicate(x)", 0, 2));
    }

    @Test
    void wrongConversionsFail() throws Exception {
        assertEquals(Outcome.Status.FAILED, rejected("torch.relu(x)", -1, 2).status());
    }
}
