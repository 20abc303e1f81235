package org.torchnnapi.converter.free;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;

class CompositionsTest {
    private static final Tensor X = FreeUnderTest.random(2, 5, 6);

    private static void whole(String... body) {
        FreeUnderTest.whole(X, List.of(), body);
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
        FreeUnderTest.whole(whole, List.of(), "torch.add(torch.abs(x), torch.neg(torch.pow(x, 3)))");
        FreeUnderTest.whole(whole, List.of(), "torch.to(x, 11)");
        FreeUnderTest.whole(whole, List.of(), "torch.clamp(x, -2, 6)");
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
        whole("y, _0 = torch.cummax(x, 2)", "y");
        whole("y, _0 = torch.cummin(x, 0)", "y");
        whole("torch.index_select(x, 1, torch.argmax(torch.mean(x, [2]), 1))");
    }

    @Test
    void wholeNumbersMoveExactly() {
        // One more than float32 can tell from its neighbours.
        long[] numbers = {(1L << 24) + 1, -(1L << 24) - 1, Integer.MAX_VALUE, Integer.MIN_VALUE + 1L, 0, -1};
        Tensor x = Tensor.of(numbers, 2, 3);
        ScriptModule original = FreeUnderTest.module(List.of(), "Tensor", "torch.transpose(torch.cat([x, x], 1), 0, 1)");
        Conversion conversion = FreeUnderTest.convert(original, x);
        assertTrue(conversion.succeeded(), conversion.report().text());
        ScriptModule converted = ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), FreeUnderTest.RUNTIME);
        assertArrayEquals(((Tensor) original.call("forward", x)).toLongArray(), ((Tensor) converted.call("forward", x)).toLongArray());
    }

    @Test
    void wholeNumbersAddUpExactly() {
        Tensor x = Tensor.of(new long[] {(1L << 24) + 1, 2, 3, -(1L << 25) - 1, 5, 6}, 2, 3);
        for (String call : new String[] {"torch.sum(x, [1])", "torch.cumsum(x, 1)"}) {
            ScriptModule original = FreeUnderTest.module(List.of(), "Tensor", call);
            Conversion conversion = FreeUnderTest.convert(original, x);
            assertTrue(conversion.succeeded(), conversion.report().text());
            ScriptModule converted = ScriptModule.of(TorchScriptArchive.of(conversion.toBytes()), FreeUnderTest.RUNTIME);
            assertArrayEquals(((Tensor) original.call("forward", x)).toLongArray(), ((Tensor) converted.call("forward", x)).toLongArray());
        }
    }
}
