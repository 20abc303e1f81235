package org.torchnnapi.converter.lower;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;

class CompositeLoweringTest {
    private static final Tensor X = FreeUnderTest.random(2, 5, 6);

    private static void whole(String... body) {
        FreeUnderTest.whole(X, List.of(), body);
    }

    /** By other numbers the quotients' rounding is as large as what is left of large numbers. */
    @Test
    void remaindersOfLargeNumbers() {
        Tensor large = Tensor.of(new float[] {1, 5e6f, -3.123e7f, 1e9f, 2.9e9f, -1e12f, 0.3f, -1e30f}, 2, 4);
        for (String divisor : new String[] {"2.", "-0.5", "1", "256"}) {
            FreeUnderTest.whole(large, List.of(), "torch.remainder(x, " + divisor + ")");
            FreeUnderTest.whole(large, List.of(), "torch.fmod(x, " + divisor + ")");
        }
        for (String divisor : new String[] {"3.", "2.5", "x", "0."}) {
            Conversion conversion = FreeUnderTest.convert(
                    FreeUnderTest.module(List.of(), "Tensor", "torch.remainder(x, " + divisor + ")"), large);
            String told = conversion.report().text();
            assertTrue(told.contains("no remainders of real numbers but by powers of two"), told);
            assertFalse(told.contains("report this model"), told);
        }
    }

    @Test
    void roundingsAndSigns() {
        Tensor halves = Tensor.of(new float[] {-2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f, -0.2f, 3.7f}, 2, 4);
        for (String name : new String[] {"round", "trunc", "sign", "ceil", "floor"}) {
            FreeUnderTest.whole(halves, List.of(), "torch." + name + "(x)");
        }
        FreeUnderTest.whole(halves, List.of(), "torch.remainder(x, 2.)");
        FreeUnderTest.whole(halves, List.of(), "torch.fmod(x, 2.)");
        FreeUnderTest.whole(halves, List.of(), "torch.div(x, 0.75, rounding_mode=\"trunc\")");
        FreeUnderTest.whole(halves, List.of(), "torch.round(torch.div(x, 7.), decimals=2)");
        Tensor whole = Tensor.of(new long[] {-7, -6, -1, 0, 1, 6, 7, 9}, 8);
        FreeUnderTest.whole(whole, List.of(), "torch.div(x, 3, rounding_mode=\"trunc\")");
        FreeUnderTest.whole(whole, List.of(), "torch.fmod(x, -3)");
        FreeUnderTest.whole(
                whole,
                List.of(),
                "torch.add(torch.abs(torch.clamp(x, -9, 9)), torch.neg(torch.pow(torch.clamp(x, -9, 9), 3)))");
        FreeUnderTest.whole(whole, List.of(), "torch.to(x, 11)");
        FreeUnderTest.whole(whole, List.of(), "torch.clamp(x, -2, 6)");
        FreeUnderTest.whole(whole, List.of(), "torch.clamp(x, -1.5, None)");
    }

    @Test
    void combinations() {
        whole("torch.lerp(x, torch.mul(x, 2.), 0.25)");
        whole("torch.addcmul(x, x, x, value=0.5)");
        whole("torch.logsumexp(torch.mul(x, 90.), [1])");
        whole("torch.prod(x, 1)");
        whole("torch.__xor__(torch.gt(x, 0.), torch.lt(x, 1.))");
        whole("torch.any(torch.gt(x, 1.5), 1)");
        whole("torch.all(torch.gt(x, -1.5), 2)");
    }

    @Test
    void arrangements() {
        whole("torch.movedim(x, [0], [-1])");
        whole("torch.repeat_interleave(x, 3, 1)");
        whole("torch.unfold(x, 1, 3, 2)");
        whole("torch.pad(x, [2, 1], \"circular\")");
        whole("torch.cumsum(x, 1)");
        whole("torch.pad(x, [-1, 2, 0, -2])");
        whole("torch.col2im(torch.repeat(torch.slice(x, 1, 0, 4), [1, 2, 1]), [4, 3], [2, 2], [1, 1], [0, 0], [1, 1])");
        whole("torch.col2im(torch.repeat(torch.slice(x, 1, 0, 4), [1, 2, 1]), [6, 7], [2, 2], [2, 3], [0, 1], [2, 2])");
        whole("torch.constant_pad_nd(x, [-1, -1], 3.)");
        whole("torch.cumsum(torch.repeat(x, [1, 60, 1]), 1)");
    }

    @Test
    void transposedConvolutionsOfAnyKind() {
        Tensor image = FreeUnderTest.random(1, 4, 5, 6);
        Tensor weight = FreeUnderTest.random(4, 3, 3, 2);
        Tensor bias = FreeUnderTest.random(3);
        String call = "torch.conv_transpose2d(x, CONSTANTS.c0, CONSTANTS.c1, %s)";
        FreeUnderTest.whole(image, List.of(weight, bias), call.formatted("[2, 3], [1, 0], [0, 0], 1, [2, 3]"));
        FreeUnderTest.whole(image, List.of(weight, bias), call.formatted("[2, 3], [0, 1], [1, 2], 1, [1, 1]"));
    }

    @Test
    void ranks() {
        whole("y, _0 = torch.topk(x, 3, 1, False, True)", "y");
        whole("_0, y = torch.sort(x, -1, True)", "y");
        whole("torch.gather(x, 2, torch.argsort(x, 2, False))");
        whole("y, _0 = torch.kthvalue(x, 2, 1)", "y");
        whole("_0, y = torch.kthvalue(x, 3, 2, True)", "y");
        whole("y, _0 = torch.median(x, 1)", "y");
        whole("torch.median(x)");
        whole("torch.cumprod(x, 1)");
        // Where one has one element along what is multiplied, the other's are added up.
        whole("torch.tensordot(torch.mean(x, [2], True), x, [2], [2])");
        whole("y, _0 = torch.cummax(x, 2)", "y");
        whole("y, _0 = torch.cummin(x, 0)", "y");
        whole("torch.logcumsumexp(torch.mul(x, 40.), 2)");
        whole("torch.logcumsumexp(torch.masked_fill(x, torch.gt(x, 0.), -inf), 1)");
        // Of equal extremes the last counts.
        whole("_0, y = torch.cummax(torch.round(x), 1)", "y");
        whole("_0, y = torch.cummin(torch.round(x), 2)", "y");
        whole("torch.index_select(x, 1, torch.argmax(torch.mean(x, [2]), 1))");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 4})
    void ranksOfManyDimensions(int dimension) {
        Tensor x = FreeUnderTest.random(2, 3, 4, 2, 3);
        for (String call : new String[] {
            "torch.cumsum(x, %d)",
            "torch.cumprod(x, %d)",
            "torch.logcumsumexp(x, %d)",
            "torch.cummax(x, %d)[1]",
            "torch.topk(x, 2, %d)[0]",
            "torch.sort(x, %d, True)[1]",
            "torch.kthvalue(x, 2, %d)[0]",
            "torch.median(x, %d, True)[0]"
        }) {
            FreeUnderTest.whole(x, List.of(), call.formatted(dimension));
        }
    }

    @Test
    void quantilesAndAreas() {
        for (String between : new String[] {"linear", "lower", "higher", "nearest", "midpoint"}) {
            whole("torch.quantile(x, 0.3, 1, False, interpolation=\"" + between + "\")");
            whole("torch.nanquantile(x, 0.3, 2, True, interpolation=\"" + between + "\")");
        }
        FreeUnderTest.whole(
                X,
                List.of(Tensor.of(new float[] {0.1f, 0.5f, 1}, 3)),
                "torch.quantile(x, CONSTANTS.c0, 2, True, interpolation=\"linear\")");
        whole("torch.quantile(x, 0.5, None, False, interpolation=\"linear\")");
        whole("torch.msort(x)");
        whole("torch.fake_quantize_per_tensor_affine(x, 0.25, 3, 0, 15)");
        whole("torch.trapezoid(x, dx=0.5, dim=1)");
        whole("torch.cumulative_trapezoid(x, dx=1, dim=-1)");
        FreeUnderTest.whole(
                X, List.of(Tensor.of(new float[] {0, 1, 3, 4, 7, 8}, 6)), "torch.trapz(x, CONSTANTS.c0, dim=-1)");
    }

    @Test
    void whatIsNoNumber() {
        Tensor odd =
                Tensor.of(new float[] {0, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY, -2, 3}, 2, 3);
        for (String expression : new String[] {
            "torch.nan_to_num(x, 1., 10., -10.)",
            "torch.nansum(x, [1])",
            "torch.isposinf(x)",
            "torch.xlogy(torch.abs(x), 2.)",
            "torch.heaviside(x, torch.full_like(x, 0.5))",
            "torch.isclose(x, torch.abs(x))"
        }) {
            List<String> operations =
                    FreeUnderTest.whole(Tensor.of(new float[] {0, 1, -1, 4, -2, 3}, 2, 3), List.of(), expression);
            assertTrue(!operations.isEmpty(), expression);
        }
        ScriptModule original = FreeUnderTest.module(List.of(), "Tensor", "torch.nan_to_num(x, 1., 10., -10.)");
        Conversion conversion = FreeUnderTest.convert(original, odd);
        ScriptModule converted = ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), FreeUnderTest.RUNTIME);
        assertArrayEquals(new float[] {0, 1, 10, -10, -2, 3}, ((Tensor) converted.call("forward", odd)).toFloatArray());
    }

    @Test
    void losses() {
        Tensor x = FreeUnderTest.random(3, 4);
        Tensor other = FreeUnderTest.random(4, 4)
                .asStrided(new int[] {3, 4}, new int[] {4, 1}, 4)
                .copy(MemoryFormat.CONTIGUOUS);
        Tensor classes = Tensor.of(new long[] {1, -100, 3}, 3);
        for (String loss : new String[] {
            "smooth_l1_loss(x, CONSTANTS.c0)",
            "huber_loss(x, CONSTANTS.c0, 0)",
            "kl_div(torch.log_softmax(x, 1), torch.softmax(CONSTANTS.c0, 1))",
            "binary_cross_entropy(torch.sigmoid(x), torch.sigmoid(CONSTANTS.c0))",
            "binary_cross_entropy_with_logits(x, torch.sigmoid(CONSTANTS.c0))",
            "triplet_margin_loss(x, CONSTANTS.c0, torch.mul(CONSTANTS.c0, 2.))",
            "margin_ranking_loss(x, CONSTANTS.c0, torch.sign(CONSTANTS.c0), 0.5)",
            "cosine_embedding_loss(x, CONSTANTS.c0, torch.sign(torch.select(CONSTANTS.c0, 1, 0)))",
            "nll_loss_nd(torch.log_softmax(x, 1), CONSTANTS.c1)",
            "cross_entropy_loss(x, CONSTANTS.c1)",
            "cross_entropy_loss(x, CONSTANTS.c1, torch.abs(torch.select(CONSTANTS.c0, 0, 0)), 1, -100, 0.125)",
            "cross_entropy_loss(x, torch.softmax(CONSTANTS.c0, 1))",
            "multi_margin_loss(x, torch.abs(torch.div(CONSTANTS.c1, 50, rounding_mode=\"trunc\")))"
        }) {
            FreeUnderTest.whole(x, List.of(other, classes), "torch." + loss);
        }
    }

    @Test
    void smallMatrices() {
        for (int n = 1; n <= 4; n++) {
            Tensor x = FreeUnderTest.random(2, 3, n, n);
            String steady = "y = torch.add(x, torch.mul(torch.eye(" + n + "), 4.))";
            whole(x, "torch.linalg_det(x)");
            whole(x, steady, "torch.linalg_inv(y)");
            whole(x, steady, "torch.linalg_solve(y, torch.slice(x, 3, 0, 1))");
            whole(x, steady, "sign, _0 = torch.linalg_slogdet(torch.neg(y))", "sign");
            whole(x, steady, "_0, size = torch.linalg_slogdet(torch.neg(y))", "size");
        }
        ScriptModule large = FreeUnderTest.module(List.of(), "Tensor", "torch.linalg_inv(x)");
        Conversion conversion = FreeUnderTest.convert(large, FreeUnderTest.random(5, 5));
        assertTrue(
                conversion.report().text().contains("at most 4 rows"),
                conversion.report().text());
    }

    private static void whole(Tensor input, String... body) {
        FreeUnderTest.whole(input, List.of(), body);
    }

    @Test
    void wholeNumbersMoveExactly() {
        // One more than float32 can tell from its neighbours.
        long[] numbers = {(1L << 24) + 1, -(1L << 24) - 1, Integer.MAX_VALUE, Integer.MIN_VALUE + 1L, 0, -1};
        Tensor x = Tensor.of(numbers, 2, 3);
        ScriptModule original =
                FreeUnderTest.module(List.of(), "Tensor", "torch.transpose(torch.cat([x, x], 1), 0, 1)");
        Conversion conversion = FreeUnderTest.convert(original, x);
        assertTrue(conversion.succeeded(), conversion.report().text());
        ScriptModule converted = ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), FreeUnderTest.RUNTIME);
        assertArrayEquals(
                ((Tensor) original.call("forward", x)).toLongArray(),
                ((Tensor) converted.call("forward", x)).toLongArray());
    }

    @Test
    void wholeNumbersAddUpExactly() {
        Tensor x = Tensor.of(new long[] {(1L << 24) + 1, 2, 3, -(1L << 25) - 1, 5, 6}, 2, 3);
        for (String call : new String[] {
            "torch.sum(torch.clamp(x, -40000000, 40000000), [1])",
            "torch.cumsum(torch.clamp(x, -40000000, 40000000), 1)"
        }) {
            ScriptModule original = FreeUnderTest.module(List.of(), "Tensor", call);
            Conversion conversion = FreeUnderTest.convert(original, x);
            assertTrue(conversion.succeeded(), conversion.report().text());
            ScriptModule converted =
                    ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), FreeUnderTest.RUNTIME);
            assertArrayEquals(
                    ((Tensor) original.call("forward", x)).toLongArray(),
                    ((Tensor) converted.call("forward", x)).toLongArray());
        }
    }

    @Test
    void elementsThatAreRepeatedSeveralTimes() {
        FreeUnderTest.whole(
                FreeUnderTest.random(2, 3, 4),
                List.of(Tensor.of(new long[] {2, 0, 3}, 3)),
                "torch.mul(torch.repeat_interleave(x, CONSTANTS.c0, 1), 2)");
        FreeUnderTest.whole(
                FreeUnderTest.random(2, 3, 4),
                List.of(Tensor.of(new long[] {3}, 1)),
                "torch.mul(torch.repeat_interleave(x, CONSTANTS.c0, -1), 2)");
    }
}
