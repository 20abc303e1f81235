package org.torchnnapi.execution.tracing;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.tensor.Tensor;

/** Methods that write in place, compiled, beside the interpreter. */
class SpecialiserWritesTest {
    @Test
    void inPlaceOperatorsAreSeenThroughTheirTensorOnly() {
        Agreement.lowered(
                List.of("a = torch.mul(x, 2.)", "b = torch.relu_(a)", "c = torch.add_(a, y)", "return torch.add(b, c)"),
                SpecialiserTest.NONE,
                Agreement.floats(4, 5),
                Agreement.floats(4, 5));
    }

    private static final String MOST = ", 9223372036854775807)";

    /**
     * As {@code a[:, 1:, 1:] += y} and the like come out of tracing; what other names of the memory hold is asked for
     * afterwards.
     */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a = torch.relu(x)\n    b = torch.view(a, [-1])\n    c = torch.add_(b, 1.)\n    return torch.mul(a, "
                        + "2.)",
                "a = torch.zeros_like(torch.relu(x))\n    b = torch.copy_(torch.select(a, 0, 0), torch.select(x, 0, "
                        + "1))\n    return torch.add(a, x)",
                "a = torch.relu(x)\n    b = torch.slice(torch.slice(a, 1, 1" + MOST + ", 2, 1" + MOST
                        + "\n    c = torch.add_(b, y)\n" + "    d = torch.slice(torch.slice(a, 1, 1" + MOST + ", 2, 1"
                        + MOST + "\n    e = torch.copy_(d, c)\n    return torch.softmax(a, -1)",
                "a = torch.relu(x)\n    b = torch.fill_(torch.select(a, 1, 0), 3)\n    c = "
                        + "torch.copy_(torch.select(a, 2, 2), torch.select(x, 2, 0))\n"
                        + "    d = torch.zero_(torch.slice(a, 2, 1, 2))\n    return torch.mul(a, 2.)",
                "a = torch.relu(x)\n    whole = torch.transpose(a, 0, 2)\n    b = torch.mul_(torch.slice(a, 1, 0, "
                        + "2), 5.)\n    return torch.add(whole, 1.)",
                "a = torch.relu(x)\n    t = torch.transpose(a, 1, 2)\n    b = torch.mul_(torch.slice(t, 1, 0, 3), "
                        + "5.)\n    return (torch.add(a, 1.), torch.neg(t))",
                "a = torch.relu(x)\n    left = torch.slice(a, 2, 0, 2)\n    right = torch.slice(a, 2, 2, 4)\n    b = "
                        + "torch.mul_(left, 5.)\n    c = torch.add_(right, 1.)\n"
                        + "    return (torch.neg(left), torch.neg(right), torch.neg(a))",
                "a = torch.zeros([2, 3, 4])\n    b = torch.select(a, 0, 1)\n    c = torch.copy_(torch.select(a, 0, "
                        + "0), torch.select(x, 0, 1))\n    d = torch.add_(b, 7.)\n"
                        + "    return (torch.neg(a), torch.neg(b))",
                "a = torch.relu(x)\n    b = torch.mul_(torch.slice(a, 1, 0, 2), 5.)\n    c = torch.add_(a, 1.)\n    "
                        + "d = torch.neg_(torch.slice(a, 0, 0, 1))\n    return (torch.neg(a), torch.neg(b))"
            })
    void writesToPartsAreSeenUnderEveryName(String body) {
        Agreement.lowered(List.of(body), SpecialiserTest.NONE, Agreement.floats(2, 3, 4), Agreement.floats(2, 2, 3));
    }

    /** What was compiled for arguments apart is asked for with arguments that share memory, and the other way round. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a = torch.add_(x, torch.neg(y))\n    w = torch.add(z, 1.)\n    return torch.add(w, x)",
                "w = torch.mul(z, 2.)\n    a = torch.mul_(x, 3.)\n    return (torch.add(w, z), torch.neg(y))",
                "a = torch.copy_(torch.slice(x, 0, 1, 3), torch.neg(torch.slice(y, 0, 0, 2)))\n    return "
                        + "torch.relu(torch.add(z, x))"
            })
    void argumentsMayShareMemory(String body) {
        Methods compiled = Methods.forward(3, List.of(body));
        for (int call = 0; call < 8; call++) {
            Tensor[] given = shared(call % 4);
            Tensor[] same = shared(call % 4);
            Agreement.equal(
                    Methods.forward(3, List.of(body)).interpret("forward", (Object[]) same),
                    compiled.specialise("forward", (Object[]) given),
                    body + call);
            for (int i = 0; i < given.length; i++) {
                Agreement.equal(same[i], given[i], body + call + " argument " + i);
            }
        }
    }

    /** The same numbers each time: apart, one tensor, two of three one tensor, parts of one memory. */
    private static Tensor[] shared(int how) {
        float[] numbers = new float[16];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = (float) Math.sin(i + how);
        }
        Tensor all = Tensor.of(numbers, 4, 4);
        Tensor other = Tensor.of(numbers.clone(), 4, 4);
        return switch (how) {
            case 0 -> new Tensor[] {all, other, Tensor.of(numbers.clone(), 4, 4)};
            case 1 -> new Tensor[] {all, all, all};
            case 2 -> new Tensor[] {all, other, all};
            default -> new Tensor[] {all, all.asStrided(new int[] {4, 4}, new int[] {1, 4}, 0), other};
        };
    }
}
