package org.torchnnapi.exported;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.format.ArchiveException;

/** Weights of classes that keep other tensors, as PyTorch 2.14 pickles {@code torchao}'s. */
class TensorPartsTest {
    private static final String ACCESS = "torch.ops.export.access_subclass_inner_tensor.default";

    private static String global(String module, String name) {
        return "c" + module + "\n" + name + "\n";
    }

    private static String text(String text) {
        return "X" + (char) text.length() + "\0\0\0" + text;
    }

    /** float32[2] of the storage of that number. */
    private static String tensor(int storage) {
        return global("torch._utils", "_rebuild_tensor_v2") + "((" + text("storage") + global("torch", "FloatStorage")
                + text(String.valueOf(storage)) + text("cpu") + "K\u0002tQK\0K\u0002\u0085K\u0001\u0085\u0089"
                + global("collections", "OrderedDict") + ")RtR";
    }

    private static String subclass(String... attributes) {
        return global("torch._tensor", "_rebuild_from_type_v2") + "("
                + global("torch._utils", "_rebuild_wrapper_subclass")
                + global("torchao.quantization", "SomeTensor") + "("
                + global("torch", "float32") + global("torch.serialization", "_get_layout")
                + text("torch.strided") + "\u0085Rt}(" + String.join("", attributes) + "utR";
    }

    /** A file of torch.save with two storages: 1, 2 and 3, 4. */
    private static byte[] file(String value) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (ZipOutputStream zip = new ZipOutputStream(out)) {
            zip.putNextEntry(new ZipEntry("archive/data.pkl"));
            zip.write(("\u0080\u0002" + value + ".").getBytes(StandardCharsets.ISO_8859_1));
            for (int i = 0; i < 2; i++) {
                zip.putNextEntry(new ZipEntry("archive/data/" + i));
                zip.write(ByteBuffer.allocate(8)
                        .order(ByteOrder.LITTLE_ENDIAN)
                        .putFloat(2 * i + 1)
                        .putFloat(2 * i + 2)
                        .array());
            }
        } catch (IOException e) {
            throw new AssertionError(e);
        }
        return out.toByteArray();
    }

    private static Pt2File net(byte[] weight) {
        return new Pt2File().pickled("layer.weight", weight).argument("x", 2);
    }

    private static Pt2File part(Pt2File net, String name, String of, String attribute) {
        return net.node(
                ACCESS,
                Pt2File.tensor(name),
                "src_subclass_tensor",
                Pt2File.tensor(of),
                "attr",
                "{'as_string': '" + attribute + "'}");
    }

    private static Pt2File sum(Pt2File net, String left, String right) {
        return net.node(
                        "torch.ops.aten.add.Tensor",
                        Pt2File.tensor("y"),
                        "self",
                        Pt2File.tensor(left),
                        "other",
                        Pt2File.tensor(right))
                .meta("y", 2)
                .result("y");
    }

    @Test
    void programsTakeThePartsOfATensor() {
        byte[] weight = file(subclass(
                text("scale"), tensor(0), text("block"), "K\u0001", text("qdata"), subclass(text("all"), tensor(1))));
        Pt2File net = part(net(weight), "scale", "w_layer_weight", "scale");
        part(part(net, "inner", "w_layer_weight", "qdata"), "data", "inner", "all");
        assertArrayEquals(
                new float[] {4, 6},
                ((Tensor) sum(net, "scale", "data").load().call("forward", Tensor.of(new float[] {0, 0}, 2)))
                        .toFloatArray());
    }

    @Test
    void whatTakesMoreThanPartsIsRefused() {
        byte[] weight = file(subclass(text("scale"), tensor(0)));
        String whole = assertThrows(
                        ArchiveException.class,
                        () -> sum(net(weight), "x", "w_layer_weight").load())
                .getMessage();
        assertTrue(
                whole.contains("nodes[0].inputs[1].arg")
                        && whole.contains("run_decompositions() on the program before saving"),
                whole);
        String other = assertThrows(
                        ArchiveException.class,
                        () -> sum(part(net(weight), "q", "w_layer_weight", "qdata"), "x", "q")
                                .load())
                .getMessage();
        assertTrue(other.contains("with an attribute qdata that is a tensor"), other);
        // No part of it is a tensor.
        String none = assertThrows(
                        ArchiveException.class,
                        () -> sum(net(file(subclass(text("block"), "K\u0001"))), "x", "w_layer_weight")
                                .load())
                .getMessage();
        assertTrue(none.contains("is no tensor"), none);
    }

    /** What was named is no object that has an effect: it is an example's that is given up, or no tensor. */
    @Test
    void callsOfOthersAreNotMade() {
        String called = assertThrows(
                        ArchiveException.class,
                        () -> sum(net(file(global("os", "system") + text("true") + "\u0085R")), "x", "w_layer_weight")
                                .load())
                .getMessage();
        assertTrue(called.contains("is no tensor"), called);
    }
}
