package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.operators.ops.Op.call;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.list;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.tensors;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.ScriptList;

/** Expected values are genuine PyTorch's. */
class FunctionalFormsTest {
    private static Tensor square() {
        return floats(sizes(2, 2), 1, 2, 3, 4);
    }

    private static Tensor quantized(double scale, long zeroPoint, double... values) {
        return tensor("quantize_per_tensor", vector(values), scale, zeroPoint, (long) DType.QUINT8.code());
    }

    private static Tensor real(Tensor quantized) {
        return tensor("dequantize.self", quantized);
    }

    @Test
    void theSameSeedFillsACopyAlike() {
        Object[][] cases = {
            {"uniform", 0.0, 2.0},
            {"normal_functional", 1.0, 2.0},
            {"random"},
            {"random.to", 5L},
            {"random.from", 3L, 9L},
            {"geometric", 0.3},
            {"bernoulli.Tensor", floats(sizes(2, 2), 0.4, 0.4, 0.4, 0.4)}
        };
        double[][] expected = {
            {1.0698450803756714, 0.39760637283325195, 1.3184233903884888, 1.3137805461883545},
            {0.7064098119735718, 2.572282552719116, 2.8936431407928467, -1.2286880016326904},
            {8974492, 3335306, 11059538, 11020709},
            {0, 2, 1, 1},
            {6, 7, 4, 5},
            {4, 4, 1, 2},
            {0, 1, 0, 0}
        };
        for (int i = 0; i < cases.length; i++) {
            call("manual_seed", 7L);
            Object[] arguments = cases[i].clone();
            Tensor given = square();
            arguments[0] = given;
            expect(tensor((String) cases[i][0], arguments), DType.FLOAT32, sizes(2, 2), expected[i]);
            expect(given, sizes(2, 2), 1, 2, 3, 4);
        }
        call("manual_seed", 7L);
        expect(
                tensor("exponential", square(), 2.0),
                sizes(2, 2),
                0.1638219654560089,
                0.159891739487648,
                0.9905877113342285,
                0.5345584154129028);
        call("manual_seed", 7L);
        expect(
                tensor("cauchy", square()),
                sizes(2, 2),
                -0.83055579662323,
                -0.8612030744552612,
                2.1618921756744385,
                0.5362833142280579);
        call("manual_seed", 7L);
        expect(
                tensor("log_normal", square()),
                sizes(2, 2),
                2.0267019271850586,
                13.095682144165039,
                18.058982849121094,
                0.29267629981040955);
    }

    @Test
    void bytesAsElementsOfAnotherType() {
        expect(
                tensor("view.dtype", vector(1, -2, 0.5), (long) DType.INT32.code()),
                DType.INT32,
                sizes(3),
                1065353216,
                -1073741824,
                1056964608);
        expect(
                tensor("view.dtype", vector(1, -2), (long) DType.UINT8.code()),
                DType.UINT8,
                sizes(8),
                0,
                0,
                128,
                63,
                0,
                0,
                0,
                192);
        Tensor whole = Tensor.of(new long[] {1, 2, 3, 4}, 2, 2);
        expect(
                tensor("view.dtype", whole, (long) DType.INT32.code()),
                DType.INT32,
                sizes(2, 4),
                1,
                0,
                2,
                0,
                3,
                0,
                4,
                0);
        Tensor shorts = Tensor.of(DType.INT16, new short[] {1, 2, 0, 5}, 4);
        expect(tensor("view.dtype", shorts, (long) DType.INT64.code()), DType.INT64, sizes(1), 1407374883684353.0);
        Tensor column = tensor("slice.Tensor", square().permute(1, 0), 0L, 0L, 1L);
        expect(
                tensor("view.dtype", column, (long) DType.INT32.code()),
                DType.INT32,
                sizes(1, 2),
                1065353216,
                1077936128);
        assertThrows(
                IllegalArgumentException.class,
                () -> call("view.dtype", Tensor.of(DType.UINT8, new byte[3], 3), (long) DType.INT16.code()));
        assertThrows(
                IllegalArgumentException.class,
                () -> call("view.dtype", Tensor.zeros(DType.FLOAT32), (long) DType.INT8.code()));
        assertThrows(
                IllegalArgumentException.class,
                () -> call("view.dtype", square().permute(1, 0), (long) DType.INT8.code()));
        Tensor odd = tensor("slice.Tensor", Tensor.zeros(DType.UINT8, 5), 0L, 1L, 5L);
        assertThrows(IllegalArgumentException.class, () -> call("view.dtype", odd, (long) DType.INT16.code()));
    }

    @Test
    void whatIsWrittenToTheBytesIsWrittenToTheirViews() {
        Tensor reals = vector(1, -2, 0.5);
        Tensor bits = tensor("view.dtype", reals, (long) DType.INT32.code());
        Tensor bytes = tensor("view.dtype", bits, (long) DType.UINT8.code());
        call("__iand__.Scalar", bits, 0x7FFFFFFFL);
        expect(reals, sizes(3), 1, 2, 0.5);
        assertEquals(0x40, bytes.getLong(7));
        call("mul_.Scalar", reals, -1L);
        expect(bits, DType.INT32, sizes(3), 0xBF800000, 0xC0000000, 0xBF000000);
        assertSame(
                bits.storage(),
                tensor("view.dtype", reals, (long) DType.INT32.code()).storage());
        Tensor signs = Tensor.of(DType.INT8, new byte[] {-1, 2}, 2);
        Tensor unsigned = tensor("view.dtype", signs, (long) DType.UINT8.code());
        int before = signs.storage().writes();
        call("zero_", unsigned);
        expect(signs, DType.INT8, sizes(2), 0, 0);
        assertTrue(signs.storage().writes() != before, "what is made of the elements is made anew");
    }

    @Test
    void subscriptsAsNumbers() {
        Tensor b = floats(sizes(2, 2), 1, -1, 0.5, 2);
        expect(tensor("einsum.sublist", square(), ints(0, 1), b, ints(1, 2), ints(2, 0)), sizes(2, 2), 2, 5, 3, 5);
        expect(tensor("einsum.sublist", square(), ints(0, 27), b, ints(27, 2)), sizes(2, 2), 2, 3, 5, 5);
        assertThrows(IllegalArgumentException.class, () -> call("einsum.sublist", square(), ints(0, 52)));
    }

    @Test
    void spectraOfPaddedSignals() {
        Tensor signal = vector(0.1, 0.5, -0.3, 0.9, 1.2, -0.7, 0.4, 0.2);
        Tensor window = vector(0.5, 1, 1, 0.5);
        expect(
                tensor(
                        "view_as_real",
                        tensor("stft.center", signal, 4L, 2L, null, window, true, "reflect", false, null, true)),
                sizes(3, 5, 2),
                0.7,
                0,
                0.7,
                0,
                1.6,
                0,
                0.4,
                0,
                0.45,
                0,
                -0.25,
                -0.25,
                0.35,
                -0.05,
                -1.35,
                -1.25,
                0.2,
                0.8,
                -0.2,
                -0.55,
                -0.8,
                0,
                -1.2,
                0,
                0.5,
                0,
                1.6,
                0,
                0.75,
                0);
        expect(
                tensor(
                        "view_as_real",
                        tensor("stft.center", signal, 4L, 4L, null, window, true, "constant", true, null, true)),
                sizes(3, 3, 2),
                0.175,
                0,
                0.8,
                0,
                0.2,
                0,
                -0.05,
                0.125,
                -0.675,
                -0.625,
                0.1,
                -0.1,
                -0.075,
                0,
                0.25,
                0,
                0,
                0);
        expect(
                tensor(
                        "view_as_real",
                        tensor("stft.center", signal, 4L, 4L, null, window, false, "reflect", false, null, true)),
                sizes(3, 2, 2),
                0.7,
                0,
                0.4,
                0,
                0.35,
                -0.05,
                0.2,
                0.8,
                -1.2,
                0,
                1.6,
                0);
        Tensor both = floats(
                sizes(2, 8), 0.1, 0.5, -0.3, 0.9, 1.2, -0.7, 0.4, 0.2, -0.2, -1, 0.6, -1.8, -2.4, 1.4, -0.8, -0.4);
        expect(
                tensor(
                        "view_as_real",
                        tensor("stft.center", both, 4L, 4L, null, window, true, "replicate", false, true, true)),
                sizes(2, 3, 3, 2),
                0.5,
                0,
                1.6,
                0,
                0.7,
                0,
                -0.05,
                0.15,
                -1.35,
                -1.25,
                0,
                -0.1,
                -0.2,
                0,
                0.5,
                0,
                0.1,
                0,
                -1,
                0,
                -3.2,
                0,
                -1.4,
                0,
                0.1,
                -0.3,
                2.7,
                2.5,
                0,
                0.2,
                0.4,
                0,
                -1,
                0,
                -0.2,
                0);
    }

    @Test
    void convolutionsByTheirOldNames() {
        Tensor image = floats(sizes(1, 1, 4, 4), -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2, 0, 2, -1, 1, -2);
        double[] weights = {-3, 0, 3, -1, 2, -2, 1, -3};
        expect(
                tensor(
                        "slow_conv_dilated2d",
                        image,
                        floats(sizes(2, 1, 2, 2), weights),
                        ints(2, 2),
                        vector(0.5, 1),
                        ints(1, 1),
                        ints(0, 0),
                        ints(2, 2)),
                sizes(1, 2, 2, 2),
                5.5,
                3.5,
                2.5,
                5.5,
                -2,
                4,
                2,
                -2);
        Tensor corner = floats(sizes(1, 1, 2, 2), -2, 0, 1, -2);
        expect(
                tensor(
                        "slow_conv_transpose2d",
                        corner,
                        floats(sizes(1, 2, 2, 2), weights),
                        ints(2, 2),
                        vector(0.5, 1),
                        ints(2, 2),
                        ints(1, 1),
                        ints(1, 1),
                        ints(1, 1)),
                sizes(1, 2, 3, 3),
                2.5,
                0.5,
                0.5,
                0.5,
                6.5,
                0.5,
                -0.5,
                -5.5,
                2.5,
                7,
                1,
                1,
                -1,
                -3,
                5,
                -2,
                -1,
                7);
    }

    @Test
    void sizesAsSymbols() {
        Tensor t = Tensor.zeros(DType.FLOAT32, 2, 3);
        assertEquals(6L, call("sym_numel", t));
        assertEquals(3L, call("sym_size.int", t, -1L));
        assertEquals(1L, call("sym_stride.int", t, 1L));
        assertEquals(0L, call("sym_storage_offset", t));
        assertEquals(ints(2, 3).items(), ((ScriptList) call("sym_size", t)).items());
    }

    @Test
    void masksBesideResults() {
        Tensor x = floats(sizes(2, 3), -1, 0.04, 0.5, 3, 0.21, -0.3);
        Tensor[] one = tensors("fake_quantize_per_tensor_affine_cachemask", x, 0.1, 3L, 0L, 15L);
        expect(one[0], sizes(2, 3), -0.3, 0, 0.5, 1.2, 0.2, -0.3);
        expect(one[1], DType.BOOL, sizes(2, 3), 0, 1, 1, 0, 1, 1);
        Tensor points = Tensor.of(DType.INT32, new int[] {3, 5}, 2);
        Tensor[] each = tensors("fake_quantize_per_channel_affine_cachemask", x, vector(0.1, 0.2), points, 0L, 0L, 15L);
        expect(each[0], sizes(2, 3), -0.3, 0, 0.5, 2, 0.2, -0.4);
        expect(each[1], DType.BOOL, sizes(2, 3), 0, 1, 1, 0, 1, 1);
        Tensor labels = Tensor.of(new long[] {3, 0, -1, 1, 1, -1, 0, 0}, 2, 4);
        Tensor[] loss = tensors(
                "multilabel_margin_loss_forward",
                floats(sizes(2, 4), 0.1, 0.2, 0.4, 0.8, 0.3, 0.1, 0.9, 0.5),
                labels,
                1L);
        expect(loss[0], sizes(), 0.975);
        expect(loss[1], DType.FLOAT32, sizes(2, 4), 1, 0, 0, 1, 0, 1, 0, 0);
        assertThrows(
                IllegalArgumentException.class,
                () -> call("multilabel_margin_loss_forward", Tensor.zeros(DType.FLOAT32, 1, 0), longs(1), 1L));
        expect(tensor("rrelu_with_noise", x, x, 0.1, 0.3, false), sizes(2, 3), -0.2, 0.04, 0.5, 3, 0.21, -0.06);
    }

    @Test
    void copiesOfWhatOthersOverwrite() {
        Tensor table = floats(sizes(2, 2), 3, 4, 0.3, 0.4);
        expect(tensor("embedding_renorm", table, longs(0), 1.0, 2.0), sizes(2, 2), 0.6, 0.8, 0.3, 0.4);
        expect(table, sizes(2, 2), 3, 4, 0.3, 0.4);
        expect(tensor("resize_as", vector(0, 1, 2, 3, 4, 5), square()), sizes(2, 2), 0, 1, 2, 3);
        ScriptList parts =
                (ScriptList) call("unflatten_dense_tensors", vector(0, 1, 2, 3, 4), list(square(), vector(9)));
        expect((Tensor) parts.get(0), sizes(2, 2), 0, 1, 2, 3);
        expect((Tensor) parts.get(1), sizes(1), 4);
    }

    @Test
    void memory() {
        assertEquals(true, call("is_non_overlapping_and_dense", square().permute(1, 0)));
        assertEquals(false, call("is_non_overlapping_and_dense", tensor("slice.Tensor", square(), 1L, 0L, 1L)));
        Tensor image = Tensor.zeros(DType.FLOAT32, 2, 3, 4, 4);
        assertEquals(false, call("is_strides_like_format", image, (long) MemoryFormat.CHANNELS_LAST.code()));
        assertEquals(true, call("is_strides_like_format", image.copy(MemoryFormat.CHANNELS_LAST), (long)
                MemoryFormat.CHANNELS_LAST.code()));
        Tensor made = tensor("empty_quantized", ints(2, 3), quantized(0.1, 10, 1));
        assertEquals(new Quantization.PerTensor(0.1, 10), made.quantization());
    }

    @Test
    void quantizedResultsWrittenToATensor() {
        Tensor a = quantized(0.1, 20, 0.5, -1, 2);
        Tensor b = quantized(0.05, 60, 0.3, 0.4, -0.5);
        Object[][] pairs = {
            {"add.out", 0.8, -0.6, 1.6},
            {"add_relu.out", 0.8, 0.0, 1.6},
            {"mul_out", 0.2, -0.4, -1.0},
            {"mul_relu_out", 0.2, 0.0, 0.0}
        };
        for (Object[] pair : pairs) {
            Tensor out = quantized(0.2, 30, 0, 0, 0);
            assertSame(out, call("quantized::" + pair[0], a, b, out));
            expect(real(out), sizes(3), (Double) pair[1], (Double) pair[2], (Double) pair[3]);
            assertEquals(new Quantization.PerTensor(0.2, 30), out.quantization());
        }
        Tensor sum = quantized(0.2, 30, 0, 0, 0);
        call("quantized::add.Scalar_out", a, -1.5, sum);
        assertEquals(new Quantization.PerTensor(0.1, 35), sum.quantization());
        expect(real(sum), sizes(3), -1, -2.5, 0.5);
        Tensor product = quantized(0.2, 30, 0, 0, 0);
        call("quantized::mul_scalar_relu_out", a, -1.5, product);
        expect(real(product), sizes(3), 0, 1.5, 0);
        Tensor withTensor = quantized(0.2, 30, 0, 0, 0);
        call("quantized::add_scalar_relu_out.Tensor", a, floats(sizes(), 0.75), withTensor);
        expect(real(withTensor), sizes(3), 1.3, -0.2, 2.8);
        Tensor joined = quantized(0.2, 30, 0, 0, 0, 0, 0, 0);
        call("quantized::cat_relu_out", list(a, b), 0L, joined);
        expect(real(joined), sizes(6), 0.4, 0, 2, 0.4, 0.4, 0);
        Tensor image = tensor("quantize_per_tensor", floats(sizes(1, 1, 2, 2), 0.5, -0.25, 1, 2), 0.1, 10L, (long)
                DType.QUINT8.code());
        expect(
                real(tensor(
                        "quantized_batch_norm",
                        image,
                        vector(2),
                        vector(0.1),
                        vector(0.3),
                        vector(4),
                        1e-5,
                        0.05,
                        20L)),
                sizes(1, 1, 2, 2),
                0.3,
                -0.4,
                0.8,
                1.8);
    }

    @Test
    void whatPyTorchNoLongerTakesSaysSo() {
        Exception e = assertThrows(
                IllegalArgumentException.class,
                () -> call(
                        "quantized_lstm.input_legacy",
                        square(),
                        list(square()),
                        list(square()),
                        true,
                        1L,
                        0.0,
                        false,
                        false,
                        false));
        assertTrue(
                e.getMessage()
                        .startsWith("torch.quantized_lstm with List[Tensor] for parameters is no longer supported."),
                e.getMessage());
        for (String name : new String[] {
            "quantized::linear_prepack_legacy",
            "quantized::linear_prepack_fp16_legacy",
            "quantized::linear_unpack.legacy"
        }) {
            assertThrows(IllegalArgumentException.class, () -> call(name, square()));
        }
    }
}
