package org.torchnnapi.operators.ops;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.torchnnapi.operators.ops.Op.call;
import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.list;
import static org.torchnnapi.operators.ops.Op.longs;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;
import static org.torchnnapi.operators.ops.Op.tensors;
import static org.torchnnapi.operators.ops.Op.vector;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.value.Complex;

/**
 * Overloads that byte code and PyTorch's own functions name beside the usual ones. Expected values are genuine
 * PyTorch's.
 */
class OtherOverloadsTest {
    private static long code(DType type) {
        return type.code();
    }

    @Test
    void typesThatOperandsMeetIn() {
        assertEquals(false, call("can_cast", code(DType.FLOAT32), code(DType.INT32)));
        assertEquals(false, call("can_cast", code(DType.INT64), code(DType.BOOL)));
        assertEquals(true, call("can_cast", code(DType.BOOL), code(DType.COMPLEX64)));
        assertEquals(code(DType.INT16), call("promote_types", code(DType.UINT8), code(DType.INT8)));
        assertEquals(code(DType.FLOAT16), call("promote_types", code(DType.INT64), code(DType.FLOAT16)));
        assertEquals(code(DType.COMPLEX128), call("promote_types", code(DType.FLOAT64), code(DType.COMPLEX64)));
        assertEquals(code(DType.FLOAT32), call("result_type.Scalar", Tensor.zeros(DType.INT32, 2), 1.5));
        assertEquals(code(DType.FLOAT16), call("result_type.Scalar_Tensor", 2.5, Tensor.zeros(DType.FLOAT16, 2)));
        assertEquals(code(DType.FLOAT32), call("result_type.Scalar_Scalar", 1L, 2.0));
        assertEquals(code(DType.FLOAT64), call("result_type.Scalar", Tensor.zeros(DType.FLOAT64), 1L));
    }

    @Test
    void formsThatOverwrite() {
        Tensor doubles = Tensor.of(DType.FLOAT64, new double[] {4, 9, 2}, 3);
        expect(tensor("float_power_.Scalar", doubles, 0.5), DType.FLOAT64, sizes(3), 2, 3, 1.4142135623730951);
        assertThrows(IllegalArgumentException.class, () -> call("float_power_.Scalar", vector(4, 9), 0.5));
        expect(tensor("ldexp_", vector(1.5, -2), longs(3, 2)), sizes(2), 12, -8);
        expect(tensor("polygamma_", vector(1.5, 2), 1L), sizes(2), 0.934802234, 0.644934058);
        Tensor whole = longs(3, 5);
        call("__ilshift__.Scalar", whole, 2L);
        expect(whole, DType.INT64, sizes(2), 12, 20);
        call("__irshift__.Tensor", whole, longs(1, 2));
        expect(whole, DType.INT64, sizes(2), 6, 5);
        Tensor rows = floats(sizes(2, 2), 3, 4, 0.3, 0.4);
        call("_no_grad_embedding_renorm_", rows, longs(0), 1.0, 2.0);
        expect(rows, sizes(2, 2), 0.6, 0.8, 0.3, 0.4);
    }

    @Test
    void frequencies() {
        expect(tensor("fft_fftfreq", 5L, 0.1, null, null, null, null), sizes(5), 0, 2, 4, -4, -2);
        expect(tensor("fft_fftfreq", 4L, 1.0, null, null, null, null), sizes(4), 0, 0.25, -0.5, -0.25);
        expect(tensor("fft_rfftfreq", 5L, 0.5, null, null, null, null), sizes(3), 0, 0.400000006, 0.800000012);
    }

    @Test
    void systemsFromTheRight() {
        Tensor right = floats(sizes(3, 2), 1, 2, 3, 4, 5, 6);
        expect(
                tensor("linalg_solve", floats(sizes(2, 2), 2, 1, 1, 3), right, false),
                sizes(3, 2),
                0.2,
                0.6,
                1,
                1,
                1.8,
                1.4);
    }

    @Test
    void distancesAndNorms() {
        Tensor points = floats(sizes(3, 2), 0, 0, 3, 4, 6, 8);
        Tensor two = floats(sizes(2, 2), 0, 0, 3, 4);
        expect(tensor("_pdist_forward", points, 2.0), sizes(3), 5, 10, 5);
        expect(tensor("_euclidean_dist", points, two), sizes(3, 2), 0, 5, 5, 0, 10, 5);
        expect(tensor("_cdist_forward", points, two, 1.0, null), sizes(3, 2), 0, 7, 7, 0, 14, 7);
        Tensor[] weight =
                tensors("_weight_norm_interface", floats(sizes(2, 2), 3, 4, 6, 8), floats(sizes(2, 1), 1, 2), 0L);
        expect(weight[0], sizes(2, 2), 0.6, 0.8, 1.2, 1.6);
        expect(weight[1], sizes(2, 1), 5, 10);
        expect(tensor("flatten_dense_tensors", list(two, vector(7))), sizes(5), 0, 0, 3, 4, 7);
    }

    @Test
    void complexNumbers() {
        assertEquals(new Complex(1.7551651237807455, 0.958851077208406), call("polar.float", 2.0, 0.5));
        assertEquals(Math.PI, call("angle.int", -3L));
        assertEquals(1.1071487177940904, call("angle.complex", new Complex(1, 2)));
        Complex log = (Complex) call("log.complex_complex", new Complex(1, 2), new Complex(2, 1));
        assertEquals(1.3459053042392235, log.real(), 1e-15);
        assertEquals(0.6003623225345808, log.imaginary(), 1e-15);
        assertEquals(
                -0.37259187761736773, ((Complex) call("log.int_complex", 2L, new Complex(2, 1))).imaginary(), 1e-15);
    }
}
