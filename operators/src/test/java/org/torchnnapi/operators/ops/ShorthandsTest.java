package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.counted;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.ints;
import static org.torchnnapi.operators.ops.Op.list;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.RaisedException;

class ShorthandsTest {
    @Test
    void fusedFormsAreTheirParts() {
        expect(tensor("_add_relu.Tensor", vector(1, -2), vector(1, 1)), sizes(2), 2, 0);
        expect(tensor("_add_relu.Scalar", vector(1, -2), 1L, 2L), sizes(2), 3, 0);
        expect(tensor("sum_to_size", floats(sizes(2, 2), 1, 2, 3, 4), ints(1, 2)), sizes(1, 2), 4, 6);
        expect(tensor("isreal", vector(1, 2)), DType.BOOL, sizes(2), 1, 1);
    }

    @Test
    void randomSlopesAreTheMeanInEvaluation() {
        expect(tensor("rrelu", vector(-2, 3), 0.25, 0.75), sizes(2), -1, 3);
        Tensor trained = tensor("rrelu", vector(-2, 3), 0.25, 0.75, true);
        org.junit.jupiter.api.Assertions.assertTrue(
                trained.getDouble(0) <= -0.5 && trained.getDouble(0) >= -1.5 && trained.getDouble(1) == 3);
    }

    @Test
    void otherLayoutsAndDevicesAreTheSameHere() {
        expect(tensor("to_mkldnn", vector(1, 2)), sizes(2), 1, 2);
        expect(tensor("prim::MKLDNNHardSwish", vector(-4, 3)), sizes(2), 0, 3);
        expect(tensor("_cast_Int", vector(1.7)), DType.INT32, sizes(1), 1);
    }

    /** Expected numbers are genuine PyTorch's. */
    @Test
    void formsThatProgramsOfPyTorchCall() {
        expect(tensor("zero", vector(1, 2)), sizes(2), 0, 0);
        expect(tensor("set", vector(1, 2)), sizes(0));
        expect(tensor("set.source_Tensor", vector(1, 2), vector(3)), sizes(1), 3);
        expect(tensor("fill.Tensor", vector(1, 2), floats(sizes(), 7)), sizes(2), 7, 7);
        Tensor[] loss = Op.tensors(
                "nll_loss2d_forward",
                counted(1, 2, 2, 2),
                Tensor.of(new long[] {0, 1, 1, 0}, 1, 2, 2),
                vector(1, 3),
                1L,
                -100L);
        expect(loss[0], sizes(), -4.5);
        expect(loss[1], sizes(), 8);
    }

    /** Expected numbers are genuine PyTorch's. */
    @Test
    void quantizedFormsWithTensorsAndPools() {
        Tensor q = tensor("quantize_per_tensor", vector(-1, 0.5, 2, 3), 0.1, 10L, 13L);
        expect(
                tensor("dequantize.self", tensor("quantized::mul_scalar.Tensor", q, floats(sizes(), 2.5))),
                sizes(4),
                -2.5,
                1.25,
                5,
                7.5);
        expect(
                tensor("dequantize.self", tensor("quantized::add_scalar_relu.Tensor", q, floats(sizes(), -1))),
                sizes(4),
                -2,
                -0.5,
                1,
                2);
        Tensor pooled = tensor(
                "quantized::max_pool1d",
                tensor("reshape", q, ints(1, 1, 4)),
                ints(2),
                ints(2),
                ints(0),
                ints(1),
                false);
        expect(tensor("dequantize.self", pooled), sizes(1, 1, 2), 0.5, 3);
    }

    /** Expected numbers are genuine PyTorch's. */
    @Test
    void transformsOfHermitianSignalsAreReal() {
        expect(tensor("fft_hfft", vector(1, 2, 3)), sizes(4), 8, -2, 0, -2);
        expect(
                tensor("view_as_real", tensor("fft_ihfft", vector(1, 2, 3, 4))),
                sizes(3, 2),
                2.5,
                0,
                -0.5,
                -0.5,
                -0.5,
                0);
        expect(tensor("fft_hfft2", floats(sizes(2, 2), 1, 2, 3, 4)), sizes(2, 2), 10, -2, -4, 0);
        expect(tensor("fft_fftshift", vector(0, 1, 2, 3, 4)), sizes(5), 3, 4, 0, 1, 2);
        expect(tensor("fft_ifftshift", vector(0, 1, 2, 3, 4)), sizes(5), 2, 3, 4, 0, 1);
    }

    @Test
    void tensorsAreArranged() {
        expect(tensor("pad_sequence", list(vector(1, 2, 3), vector(4)), true), sizes(2, 3), 1, 2, 3, 4, 0, 0);
        expect(tensor("pad_sequence", list(vector(1, 2), vector(4)), false, 9.0), sizes(2, 2), 1, 4, 2, 9);
        expect(tensor("renorm", floats(sizes(2, 2), 3, 4, 0.3, 0.4), 2L, 0L, 1L), sizes(2, 2), 0.6, 0.8, 0.3, 0.4);
        for (Object[] refused : new Object[][] {{0L, 1L}, {-1L, 1L}, {Double.NaN, 1L}, {2L, -1L}, {2L, Double.NaN}}) {
            assertThrows(
                    RaisedException.class,
                    () -> tensor("renorm", floats(sizes(2, 2), 3, 4, 0.3, 0.4), refused[0], 0L, refused[1]));
        }
        assertThrows(RaisedException.class, () -> tensor("renorm", vector(3, 4), 2L, 0L, 1L));
        expect(
                tensor(
                        "max_unpool3d",
                        floats(sizes(1, 1, 1, 2), 5, 7),
                        Tensor.of(new long[] {1, 3}, 1, 1, 1, 2),
                        ints(1, 2, 2),
                        ints(1, 1, 1),
                        ints(0, 0, 0)),
                sizes(1, 1, 2, 2),
                0,
                5,
                0,
                7);
        expect(tensor("_reshape_from_tensor", vector(1, 2, 3, 4), longs(2, 2)), sizes(2, 2), 1, 2, 3, 4);
        expect(tensor("_shape_as_tensor", floats(sizes(1, 2), 1, 2)), DType.INT64, sizes(2), 1, 2);
        expect(tensor("repeat_interleave.Tensor", longs(1, 0, 2)), sizes(3), 0, 2, 2);
        expect(tensor("pdist", floats(sizes(3, 2), 0, 0, 3, 4, 0, 1)), sizes(3), 5, 1, Math.sqrt(18));
        expect(tensor("range.step", 1L, 2L, 0.5), sizes(3), 1, 1.5, 2);
        expect(tensor("put", vector(1, 2, 3), longs(0, 2), vector(8, 9)), sizes(3), 8, 2, 9);
    }

    @Test
    void sumsToNoDimensionsCountInLongs() {
        expect(tensor("sum_to_size", tensor("to.dtype", floats(sizes(), 3), 0L), ints()), DType.INT64, sizes(), 3);
        expect(tensor("sum_to_size", tensor("to.dtype", vector(1, 1), 11L), ints()), DType.INT64, sizes(), 2);
        expect(tensor("sum_to_size", tensor("to.dtype", vector(3, 4), 0L), ints(2)), DType.UINT8, sizes(2), 3, 4);
    }
}
