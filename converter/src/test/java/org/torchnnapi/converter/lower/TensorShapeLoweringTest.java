package org.torchnnapi.converter.lower;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.torchnnapi.converter.partition.FreeUnderTest.random;
import static org.torchnnapi.converter.partition.FreeUnderTest.whole;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.Conversion;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.tensor.Tensor;

class TensorShapeLoweringTest {
    private static final Tensor X = random(2, 4, 6, 5);
    private static final Tensor WEIGHT = random(4, 4, 1, 1);
    private static final String IMAGE = "y = torch.conv2d(torch.silu(x), CONSTANTS.c0, None)";

    @Test
    void partsOfImages() {
        for (String expression : new String[] {
            "torch.slice(y, 2, 1, 5, 2)",
            "torch.narrow(y, 3, 1, 2)",
            "torch.select(y, 1, -1)",
            "torch.cat([y, x], 1)",
            "torch.stack([y, x], 1)",
            "torch.roll(y, [1, -2], [2, 3])",
            "torch.flip(y, [1, 3])",
            "torch.constant_pad_nd(y, [1, 2, 0, 3], 0.5)",
            "torch.pad(y, [1, 2, 2, 1], \"reflect\")",
            "torch.replication_pad2d(y, [1, 2, 2, 1])",
            "torch.pad(y, [1, 1])"
        }) {
            whole(X, List.of(WEIGHT), IMAGE, "torch.mul(" + expression + ", 2)");
        }
    }

    /** Padding that takes a size away as a whole leaves nothing but what is added. */
    @Test
    void paddingTakesAway() {
        for (String amounts : new String[] {"[1, 0, 1, -1]", "[-1, 2, -1, 1]", "[0, 0, -1, 2]", "[-2, 1, 0, 1]"}) {
            String padded = "torch.constant_pad_nd(x, " + amounts + ", 2.)";
            whole(random(1, 5, 1, 3), List.of(), "torch.mul(" + padded + ", 2)");
            whole(random(1, 2, 2, 5, 1, 3), List.of(), "torch.mul(" + padded + ", 2)");
        }
    }

    @Test
    void listedPartsAreSlices() {
        whole(X, List.of(WEIGHT), IMAGE, "a, b, = torch.chunk(y, 2, 1)", "torch.cat([b, a], 1)");
        whole(X, List.of(WEIGHT), IMAGE, "a, b, c = torch.split(y, 2, 2)", "torch.sub(a, torch.mul(b, c))");
        whole(X, List.of(WEIGHT), IMAGE, "a = torch.unbind(y, 1)", "torch.mul(a[0], a[-1])");
        whole(random(2, 6, 2, 3, 2), List.of(), "a = torch.chunk(x, 3, 1)", "torch.add(a[0], a[2])");
    }

    @Test
    void rowsArePicked() {
        Tensor places = Tensor.of(new long[] {3, 0, 3}, 3);
        whole(X, List.of(WEIGHT, places), IMAGE, "torch.index_select(y, 1, CONSTANTS.c1)");
        whole(X, List.of(WEIGHT, places), IMAGE, "torch.index(y, [None, CONSTANTS.c1])");
    }

    @Test
    void volumesAreFlippedAndPaddedWithTheirOwn() {
        for (String expression : new String[] {
            "torch.flip(x, [2, -1])",
            "torch.reflection_pad3d(x, [1, 2, 0, 1, 2, 1])",
            "torch.replication_pad3d(x, [1, 2, 0, 1, 3, 0])",
            "torch.pad(x, [2, 1, 0, 1, 1, 0], \"circular\")",
            "torch.pad(x, [2, 1, 0, 1, 1, 0], \"reflect\")"
        }) {
            FreeUnderTest.whole(FreeUnderTest.random(1, 2, 3, 4, 5), List.of(), "torch.mul(" + expression + ", 2)");
        }
    }

    /** As rotations of a part of each head have it where the part is all of it. */
    @Test
    void partsWithoutElementsAreLeftOut() {
        whole(
                X,
                List.of(WEIGHT),
                IMAGE,
                "none = torch.mul(torch.slice(y, 1, 4, None), 3)",
                "torch.cat([torch.mul(torch.slice(y, 1, None, 4), 2), none], 1)");
        whole(
                X,
                List.of(),
                "none = torch.clamp(torch.slice(x, 3, 0, 0), 0, 1)",
                "torch.cat([none, torch.slice(x, 3, 0, 5), none], -1)");
    }

    @Test
    void whatIsJoinedMayHaveSeveralDtypes() {
        Tensor x = FreeUnderTest.random(2, 3);
        FreeUnderTest.whole(x, List.of(), "i = torch.argmax(x, 1, True)", "torch.cat([i, x, torch.gt(x, 0.)], 1)");
        FreeUnderTest.whole(
                x, List.of(), "i = torch.argmax(x, 1, True)", "torch.cat([torch.to(i, 3), i, torch.gt(x, 0.)], -1)");
    }

    @Test
    void partsWhosePlaceIsAnElementStayOnNnapi() {
        Tensor x = FreeUnderTest.random(3, 4);
        FreeUnderTest.whole(
                x, List.of(), "i = torch.argmax(torch.sum(x, [0]), 0)", "torch.mul(torch.select(x, 1, int(i)), 2)");
        FreeUnderTest.whole(
                x,
                List.of(),
                "i = torch.topk(torch.sum(x, [1]), 2, 0)[1]",
                "a = torch.select(x, 0, int(torch.select(i, 0, 1)))",
                "torch.sub(a, torch.select(x, 0, torch.sub(int(torch.select(i, 0, 0)), 3)))");
        FreeUnderTest.whole(
                x,
                List.of(FreeUnderTest.random(4, 5)),
                "i = torch.argmax(torch.select(x, 0, 0), 0)",
                "t = torch.tensor([[annotate(int, torch.item(i))]])",
                "torch.add(torch.embedding(CONSTANTS.c0, t), torch.sum(x))");
        FreeUnderTest.whole(
                x,
                List.of(FreeUnderTest.random(4, 5)),
                "i = torch.argmax(torch.select(x, 0, 0), 0)",
                "t = torch.full([1, 1], int(i), dtype=4)",
                "torch.add(torch.embedding(CONSTANTS.c0, t), torch.sum(x))");
    }

    @Test
    void placesOfLargestElementsAreCountedWhereAllCountsAreAskedFor() {
        Tensor x = FreeUnderTest.random(12, 4);
        FreeUnderTest.whole(
                x, List.of(), "n = torch.bincount(torch.argmax(x, 1), None, 4)", "torch.mul(n, torch.sum(x, [0]))");
        FreeUnderTest.whole(
                x,
                List.of(),
                "n = torch.bincount(torch.flatten(torch.topk(x, 2, 1)[1]), None, 6)",
                "torch.div(n, torch.sum(torch.abs(x)))");
    }

    @Test
    void windowsOfOwnStridesArePickedWhereElementsLieDense() {
        FreeUnderTest.whole(
                FreeUnderTest.random(2, 8, 3),
                List.of(FreeUnderTest.random(4, 3)),
                "y = torch.view(torch.linear(x, CONSTANTS.c0), [2, 4, 2, 4])",
                "s = torch.list(torch.stride(y))",
                "_0 = torch._set_item(s, 1, torch.floordiv(s[1], 2))",
                "torch.relu(torch.as_strided(y, [2, 7, 2, 4], s))");
    }

    @Test
    void windowsOfOwnStridesArePickedInRowsWhateverTheOrderInMemory() {
        // As sliding window attention has it: heads stand between the steps of a sequence in memory, and windows
        // overlap by half.
        List<String> made = FreeUnderTest.whole(
                FreeUnderTest.random(1, 16, 4, 16),
                List.of(),
                "y = torch.reshape(torch.transpose(torch.relu(x), 1, 2), [4, 16, 16])",
                "torch.exp(torch.as_strided(torch.view(y, [4, 2, 8, 16]), [4, 3, 8, 16], [16, 256, 64, 1]))");
        assertEquals(1, made.stream().filter("GATHER"::equals).count(), made.toString());
        // Elements that follow each other in no row, of a part of a tensor, and some that the part lacks.
        FreeUnderTest.whole(
                FreeUnderTest.random(6, 5),
                List.of(),
                "y = torch.slice(torch.relu(x), 1, 1, 4)",
                "torch.exp(torch.as_strided(y, [3, 2], [1, 5], 6))");
    }

    @Test
    void whatIsLookedAtAsMemoryStaysTorchScript() {
        Tensor x = FreeUnderTest.random(512, 512);
        ScriptModule module = FreeUnderTest.module(
                List.of(FreeUnderTest.random(512, 512)),
                "Tensor",
                "y = torch.slice(torch.relu(torch.linear(x, CONSTANTS.c0)), 1, 1, 400)",
                "torch.linear(torch.as_strided(y, [300, 512], [512, 1], 0), CONSTANTS.c0)");
        Conversion conversion = FreeUnderTest.convert(module, x);
        assertTrue(conversion.succeeded(), conversion.report().text());
        assertTrue(
                conversion.refusals().stream()
                        .anyMatch(refusal -> refusal.node().equals("aten::relu")),
                conversion.report().text());
        FreeUnderTest.compare(module, conversion, x);
    }
}
