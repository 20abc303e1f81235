package org.torchnnapi.converter.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;
import static org.torchnnapi.converter.partition.FreeUnderTest.whole;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.tensor.Tensor;

class ProductsTest {
    private static final Tensor X = random(2, 3, 4);

    @Test
    void linearOfAnyRank() {
        whole(
                "RESHAPE FULLY_CONNECTED RESHAPE",
                X,
                List.of(random(5, 4), random(5)),
                "torch.linear(x, CONSTANTS.c0, CONSTANTS.c1)");
        whole(random(4), List.of(random(5, 4)), "torch.linear(x, CONSTANTS.c0)");
        whole(random(2, 1, 3, 2, 4), List.of(random(5, 4)), "torch.linear(x, CONSTANTS.c0)");
    }

    @Test
    void aBiasWhoseMiddleIsSetToZeroIsConstant() {
        whole(
                "RESHAPE FULLY_CONNECTED RESHAPE",
                X,
                List.of(random(6, 4), random(6)),
                "bias = torch.clone(CONSTANTS.c1)",
                "_0 = torch.zero_(torch.slice(bias, 0, 2, 4))",
                "torch.linear(x, CONSTANTS.c0, bias)");
        whole(
                "RESHAPE FULLY_CONNECTED RESHAPE",
                X,
                List.of(random(6, 4), random(6), random(1)),
                "bias = torch.clone(CONSTANTS.c1)",
                "_0 = torch.fill_(torch.slice(bias, 0, 2, 4), torch.select(CONSTANTS.c2, 0, 0))",
                "torch.linear(x, CONSTANTS.c0, bias)");
    }

    @Test
    void whatIsSetToZeroAsItRuns() {
        whole(X, List.of(), "y = torch.neg(x)", "_0 = torch.zero_(torch.slice(y, 0, 0, 1))", "torch.mul(y, x)");
    }

    @Test
    void constantAndComputedFactors() {
        whole(X, List.of(random(4, 5)), "torch.matmul(x, CONSTANTS.c0)");
        whole(X, List.of(random(4)), "torch.matmul(x, CONSTANTS.c0)");
        whole(X, List.of(), "torch.matmul(x, torch.transpose(x, 1, 2))");
        whole(X, List.of(), "torch.bmm(torch.transpose(x, 1, 2), x)");
        whole(random(1, 2, 2, 3, 4), List.of(), "torch.matmul(x, torch.transpose(x, -1, -2))");
        whole(random(3, 4), List.of(random(4, 5), random(5)), "torch.addmm(CONSTANTS.c1, torch.silu(x), CONSTANTS.c0)");
    }

    @Test
    void transposedFactorsCostNoTranspose() {
        assertFalse(whole(X, List.of(), "torch.matmul(x, torch.transpose(torch.exp(x), 1, 2))")
                .contains("TRANSPOSE"));
    }

    @Test
    void largeBatchesAreOneConvolution() {
        List<String> made =
                whole(random(600, 30, 8), List.of(), "torch.matmul(torch.mul(x, 0.5), torch.transpose(x, 1, 2))");
        assertEquals(1, made.stream().filter("GROUPED_CONV_2D"::equals).count(), made.toString());
        whole(random(300, 2, 30, 8), List.of(), "torch.matmul(x, torch.transpose(x, -1, -2))");
    }

    @Test
    void einsumIsABatchOfProducts() {
        whole(random(2, 2, 3, 4), List.of(), "torch.einsum(\"bhid,bhjd->bhij\", [x, x])");
        whole(random(2, 2, 3, 4), List.of(random(4, 5)), "torch.einsum(\"...id,...jd->...ij\", [x, x])");
        whole(random(2, 2, 3, 4), List.of(random(4, 5)), "torch.einsum(\"...d,dk\", [x, CONSTANTS.c0])");
        whole(random(2, 2, 3, 4), List.of(), "torch.einsum(\"b...d->d...b\", [x])");
        whole(random(2, 2, 3, 4), List.of(), "torch.einsum(\"bihd, bjhd -> bhij\", [x, torch.neg(x)])");
    }

    @Test
    void whatEinsumMakesMayBeWrittenTo() {
        whole(
                random(2, 3, 4, 5),
                List.of(),
                "y = torch.einsum(\"bhid,bhjd->bhij\", [x, x])",
                "z = torch.mul_(torch.slice(torch.reshape(y, [2, 3, 16]), 2, 1, 9), 0.5)",
                "torch.add(torch.einsum(\"bhk,bhjd->bhkd\", [z, x]), 1)");
    }

    @Test
    void einsumOfADiagonal() {
        whole(random(2, 7, 8, 5), List.of(random(5, 5)), "torch.einsum(\"bijd,dd->bijd\", [x, CONSTANTS.c0])");
        whole(random(4, 4), List.of(), "torch.einsum(\"ii->i\", [torch.neg(x)])");
        whole(random(4, 4), List.of(), "torch.einsum(\"ii\", [torch.neg(x)])");
        whole(random(3, 4, 4), List.of(), "torch.einsum(\"bii->ib\", [torch.neg(x)])");
        whole(random(3, 2, 3, 2), List.of(), "torch.einsum(\"ijij->ji\", [torch.neg(x)])");
        whole(random(3, 3, 3), List.of(random(3)), "torch.einsum(\"iii,i->i\", [x, CONSTANTS.c0])");
    }

    /** Experts' own rows, some of them none, and rows behind all groups; ends that are computed, too. */
    @Test
    void groupsOfRowsHaveMatricesOfTheirOwn() {
        Tensor rows = random(6, 4);
        for (int[] ends : new int[][] {{2, 2, 5}, {0, 6, 6}, {1, 2, 3}}) {
            List<String> made = whole(
                    rows,
                    List.of(random(3, 4, 5), Tensor.of(ends, 3)),
                    "torch._grouped_mm(x, CONSTANTS.c0, CONSTANTS.c1)");
            assertEquals(1, made.stream().filter("FULLY_CONNECTED"::equals).count(), made.toString());
        }
        whole(
                rows,
                List.of(random(1, 4, 5), Tensor.of(new int[] {4}, 1)),
                "torch._grouped_mm(x, CONSTANTS.c0, CONSTANTS.c1)");
        whole(
                rows,
                List.of(random(3, 5, 4)),
                "g, p = torch.sort(torch.argmax(torch.slice(x, 1, 0, 3), -1))",
                "n = torch.histc(torch.to(g, 6), 3, 0, 2)",
                "torch._grouped_mm(torch.index(x, annotate(List[Optional[Tensor]], [p])), "
                        + "torch.transpose(CONSTANTS.c0, -2, -1), torch.cumsum(n, 0, dtype=3))");
    }
}
