package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.ops.Op.expect;
import static org.torchnnapi.operators.ops.Op.floats;
import static org.torchnnapi.operators.ops.Op.sizes;
import static org.torchnnapi.operators.ops.Op.tensor;

import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

/** Expected numbers are genuine PyTorch's. */
class MatrixFactorsTest {
    private static final Tensor A = floats(sizes(3, 3), 4, 1, -2, 1, 3, 0.5, -2, 0.5, 5);
    private static final Tensor B = floats(sizes(3, 2), 1, 2, 3, -1, 0.5, 2);
    private static final Tensor G = floats(sizes(3, 3), 1, 2, 0.5, -1, 3, 2, 4, 0.25, -2);
    private static final Tensor W = floats(sizes(2, 3), 1, 2, 3, 4, 5, 7);
    private static final Tensor Z = floats(sizes(3, 3), 0, 1, 2, 1, 0, 3, 2, 3, 0);

    @Test
    void resultsAreThoseOfPyTorch() {
        several(
                "linalg_lu_factor_ex",
                new Object[] {G},
                floats(sizes(3, 3), 4.0, 0.25, -2.0, -0.25, 3.0625, 1.5, 0.25, 0.6326530575752258, 0.05102038383483887),
                floats(sizes(3), 3.0, 2.0, 3.0),
                floats(sizes(), 0.0));
        several(
                "linalg_qr",
                new Object[] {G},
                floats(
                        sizes(3, 3),
                        -0.2357022762298584,
                        -0.5533715486526489,
                        -0.7988894581794739,
                        0.2357022613286972,
                        -0.8300573825836182,
                        0.5054198503494263,
                        -0.9428090453147888,
                        -0.06917142868041992,
                        0.32607734203338623),
                floats(
                        sizes(3, 3),
                        -4.242640972137451,
                        0.0,
                        2.2391715049743652,
                        0.0,
                        -3.6142079830169678,
                        -1.7984577417373657,
                        0.0,
                        0.0,
                        -0.04075968265533447));
        several(
                "linalg_qr",
                new Object[] {W, "complete"},
                floats(sizes(2, 2), -0.24253559112548828, -0.9701425433158875, -0.9701425433158875, 0.2425355315208435),
                floats(
                        sizes(2, 3),
                        -4.123105525970459,
                        -5.3357834815979,
                        -7.518604278564453,
                        0.0,
                        -0.7276067733764648,
                        -1.2126779556274414));
        several(
                "geqrf",
                new Object[] {W},
                floats(
                        sizes(2, 3),
                        -4.123105525970459,
                        -5.3357834815979,
                        -7.518604278564453,
                        0.7807764410972595,
                        -0.7276067733764648,
                        -1.2126779556274414),
                floats(sizes(2), 1.2425355911254883, 0.0));
        several(
                "linalg_cholesky_ex",
                new Object[] {A, true},
                floats(
                        sizes(3, 3),
                        2.0,
                        0.5,
                        -1.0,
                        0.0,
                        1.658312439918518,
                        0.6030226945877075,
                        0.0,
                        0.0,
                        1.9069252014160156),
                floats(sizes(), 0.0));
        several(
                "linalg_ldl_factor_ex",
                new Object[] {A},
                floats(sizes(3, 3), 4.0, 0.0, 0.0, 0.25, 2.75, 0.0, -0.5, 0.3636363744735718, 3.6363635063171387),
                floats(sizes(3), 1.0, 2.0, 3.0),
                floats(sizes(), 0.0));
        several(
                "linalg_ldl_factor_ex",
                new Object[] {Z},
                floats(sizes(3, 3), 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 1.5, 0.5, -3.0),
                floats(sizes(3), -3.0, -3.0, 3.0),
                floats(sizes(), 0.0));
        expect(
                tensor("linalg_matrix_exp", G),
                sizes(3, 3),
                5.684432029724121,
                20.616369247436523,
                7.729325771331787,
                3.8282041549682617,
                23.451602935791016,
                9.000421524047852,
                5.289051532745361,
                15.261442184448242,
                5.7722673416137695);
        expect(
                tensor("linalg_solve_triangular", A, B, true),
                sizes(3, 2),
                0.05416666343808174,
                0.800000011920929,
                0.9833333492279053,
                -0.4000000059604645,
                0.10000000149011612,
                0.4000000059604645);
    }

    /** Symmetric ones and Hermitian ones, both with a block of two that is exchanged. */
    @Test
    void symmetricFactorsOfComplexMatrices() {
        Tensor symmetric = tensor(
                "complex",
                floats(sizes(3, 3), 1, 2, -1, 2, 0.5, 3, -1, 3, 0.25),
                floats(sizes(3, 3), 0, 1, 0.5, 1, 0.25, -2, 0.5, -2, 1));
        Tensor hermitian = tensor(
                "complex",
                floats(sizes(3, 3), 0.5, 2, -1, 2, 0.5, 3, -1, 3, 0.25),
                floats(sizes(3, 3), 0, -1, -0.5, 1, 0, 2, 0.5, -2, 0));
        Tensor right = tensor("complex", floats(sizes(3, 1), 1, 2, 3), floats(sizes(3, 1), 0.5, 0, -1));
        Tensor[] factors = Op.tensors("linalg_ldl_factor_ex", symmetric);
        expect(
                tensor("view_as_real", factors[0]),
                sizes(3, 3, 2),
                1.0,
                0.0,
                0.0,
                0.0,
                0.0,
                0.0,
                2.0,
                1.0,
                0.5,
                0.25,
                0.0,
                0.0,
                0.876923143863678,
                -1.7153847217559814,
                -0.30769237875938416,
                1.2615386247634888,
                -1.3307693004608154,
                -5.553846836090088);
        expect(factors[1], sizes(3), -2, -2, 3);
        expect(
                tensor("view_as_real", tensor("linalg_ldl_solve", factors[0], factors[1], right)),
                sizes(3, 1, 2),
                -0.25159770250320435,
                -0.32136625051498413,
                0.9213933944702148,
                0.0795028805732727,
                0.30573570728302,
                0.4119006097316742);
        Tensor[] own = Op.tensors("linalg_ldl_factor_ex", hermitian, true);
        expect(
                tensor("view_as_real", own[0]),
                sizes(3, 3, 2),
                0.5,
                0.0,
                0.0,
                0.0,
                0.0,
                0.0,
                2.0,
                1.0,
                0.5,
                0.0,
                0.0,
                0.0,
                1.7894737720489502,
                -0.2631579339504242,
                -0.6315789222717285,
                0.6315789222717285,
                5.328947067260742,
                0.0);
        expect(
                tensor("view_as_real", tensor("linalg_ldl_solve", own[0], own[1], right, true)),
                sizes(3, 1, 2),
                -0.19259268045425415,
                0.3827161490917206,
                0.7259259223937988,
                0.35555553436279297,
                0.4395061731338501,
                -0.5432099103927612);
        expect(
                tensor(
                        "view_as_real",
                        tensor("matmul", hermitian, tensor("linalg_ldl_solve", own[0], own[1], right, true))),
                sizes(3, 1, 2),
                1,
                0.5,
                2,
                0,
                3,
                -1);
    }

    @Test
    void whatIsSolvedFitsAgain() {
        Tensor[] factors = Op.tensors("linalg_ldl_factor_ex", Z);
        Tensor right = floats(sizes(3, 1), 1, 2, 3);
        expect(tensor("matmul", Z, tensor("linalg_ldl_solve", factors[0], factors[1], right)), sizes(3, 1), 1, 2, 3);
        Tensor[] lu = Op.tensors("linalg_lu_factor_ex", G);
        expect(tensor("matmul", G, tensor("linalg_lu_solve", lu[0], lu[1], right)), sizes(3, 1), 1, 2, 3);
        expect(
                tensor("matmul", tensor("t", G), tensor("linalg_lu_solve", lu[0], lu[1], right, true, true)),
                sizes(3, 1),
                1,
                2,
                3);
        Tensor row = floats(sizes(1, 3), 1, 2, 3);
        expect(tensor("matmul", tensor("linalg_lu_solve", lu[0], lu[1], row, false), G), sizes(1, 3), 1, 2, 3);
        Tensor[] reflections = Op.tensors("geqrf", G);
        Tensor q = tensor("linalg_householder_product", reflections[0], reflections[1]);
        expect(
                tensor("ormqr", reflections[0], reflections[1], right),
                sizes(3, 1),
                elements(tensor("matmul", q, right)));
        expect(
                tensor("ormqr", reflections[0], reflections[1], row, false, true),
                sizes(1, 3),
                elements(tensor("matmul", row, tensor("t", q))));
    }

    private static double[] elements(Tensor t) {
        double[] elements = new double[(int) t.numel()];
        for (int i = 0; i < elements.length; i++) {
            elements[i] = t.getDouble(i);
        }
        return elements;
    }

    private static void several(String name, Object[] arguments, Tensor... expected) {
        Tensor[] results = Op.tensors(name, arguments);
        for (int i = 0; i < expected.length; i++) {
            double[] elements = new double[(int) expected[i].numel()];
            for (int k = 0; k < elements.length; k++) {
                elements[k] = expected[i].getDouble(k);
            }
            expect(results[i], expected[i].sizes(), elements);
        }
    }
}
