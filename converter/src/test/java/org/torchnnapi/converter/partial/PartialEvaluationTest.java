package org.torchnnapi.converter.partial;

import static org.torchnnapi.converter.partition.FreeUnderTest.random;
import static org.torchnnapi.converter.partition.FreeUnderTest.whole;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.converter.partition.FreeUnderTest;
import org.torchnnapi.tensor.Tensor;

class PartialEvaluationTest {
    private static final Tensor X = random(1, 2, 4, 6);

    @Test
    void branchesOnShapesAreTaken() {
        whole(
                "LOGISTIC MUL",
                X,
                List.of(),
                "if torch.ne(torch.dim(x), 4):",
                "  y = torch.sinh(x)",
                "else:",
                "  y = torch.silu(x)",
                "y");
    }

    /** As torchvision's functions that take one tensor or several do. */
    @Test
    void branchesOnTypesOfListsAreTaken() {
        whole(
                "SIN MUL",
                X,
                List.of(),
                "l = [x, torch.sin(x)]",
                "y = x",
                "if isinstance(l, List[Tensor]):",
                "  y = l[1]",
                "else:",
                "  y = torch.lgamma(x)",
                "t = (x, y)",
                "if isinstance(t, Tuple[Tensor, Tensor]):",
                "  y = torch.mul(y, t[0])",
                "else:",
                "  y = torch.lgamma(x)",
                "y");
    }

    @Test
    void loopsOverSizesAreUnrolled() {
        whole("SIN SIN", X, List.of(), "y = x", "for i in range(torch.size(x, 1)):", "  y = torch.sin(y)", "y");
    }

    @Test
    void masksMadeOfSizesAreConstants() {
        whole(
                "MUL",
                X,
                List.of(),
                "m = torch.new_zeros(x, [torch.size(x, 2), torch.size(x, 3)])",
                "_0 = torch.fill_(torch.slice(m, 0, 0, 2), 3.)",
                "torch.mul(x, m)");
    }

    @Test
    void constantsThatTakeOnInputsStayOpen() {
        Tensor large = random(1, 32, 24, 24);
        var module = FreeUnderTest.module(
                List.of(random(32, 32, 3, 3)),
                "Tensor",
                "m = torch.new_zeros(x, [1, 32, 24, 24])",
                "y = torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [1, 1])",
                "_0 = torch.copy_(torch.slice(m, 2, 0, 2), torch.slice(y, 2, 3, 5))",
                "torch.add(m, y)");
        var conversion = FreeUnderTest.convert(module, large);
        if (conversion.succeeded()) {
            FreeUnderTest.compare(module, conversion, large);
        }
    }

    @Test
    void listsThatGrowAreFollowed() {
        whole(
                "SIN SIN CONCATENATION EXP STRIDED_SLICE SUB",
                X,
                List.of(),
                "l = annotate(List[Tensor], [x])",
                "for i in range(2):",
                "  _0 = torch.append(l, torch.sin(l[-1]))",
                "y = torch.cat(l, 1)",
                "_1 = torch.append(l, torch.exp(x))",
                "torch.sub(torch.slice(y, 1, torch.len(l), 6), l[3])");
    }

    @Test
    void listsThatCannotBeFollowedStay() {
        Tensor large = random(1, 32, 24, 24);
        var module = FreeUnderTest.module(
                List.of(random(32, 32, 3, 3)),
                "Tensor",
                "l = annotate(List[Tensor], [x])",
                "y = torch.conv2d(x, CONSTANTS.c0, None, [1, 1], [1, 1])",
                "_0 = torch.append(l, y)",
                "if bool(torch.gt(torch.sum(x), 1000000.)):",
                "  _1 = torch.append(l, x)",
                "else:",
                "  pass",
                "torch.cat(l, 1)");
        var conversion = FreeUnderTest.convert(module, large);
        org.junit.jupiter.api.Assertions.assertTrue(
                conversion.succeeded(), conversion.report().text());
        FreeUnderTest.compare(module, conversion, large);
    }

    /** Whole numbers that are computed may be anything in examples of shapes, places of no element among them. */
    @Test
    void placesOfExamplesNeedNotBeThere() {
        whole(
                random(4, 3),
                List.of(),
                "g = torch.masked_fill(torch.argsort(x, 0), torch.gt(torch.argsort(x, 0), 2), 4)",
                "n = torch.eq(g, 4)",
                "first = torch.expand_as(torch.slice(torch.argsort(torch.neg(x), 1), 0, 0, 1), g)",
                "k = torch.index_put(g, annotate(List[Optional[Tensor]], [n]), torch.index(first, "
                        + "annotate(List[Optional[Tensor]], [n])))",
                "torch.gather(x, 0, k)");
    }

    @Test
    void forksAreDoneWhereTheyStand() {
        whole(
                "SIN EXP ADD",
                X,
                List.of(),
                "fs = annotate(List[Future[Tensor]], [])",
                "def work():",
                "  return torch.sin(x)",
                "f = fork(work)",
                "_0 = torch.append(fs, f)",
                "y = torch.exp(x)",
                "for i in range(torch.len(fs)):",
                "  g = fs[i]",
                "  y = torch.add(y, torch.wait(g))",
                "y");
    }
}
