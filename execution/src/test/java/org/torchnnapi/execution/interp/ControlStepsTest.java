package org.torchnnapi.execution.interp;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.operators.OperatorKernel;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Node;

/** Branches and loops that a hook stands in for. */
class ControlStepsTest {
    private static Object run(OperatorHook hook, String text, Object... arguments) {
        Function f = Scripts.loader(text).function("__torch__.m.f");
        return Scripts.interpreter().run(f, arguments, hook);
    }

    @Test
    void bothWaysOfABranchRunOnValuesOfTheirOwn() {
        List<Object> ways = new ArrayList<>();
        OperatorHook hook = new OperatorHook() {
            @Override
            public Object call(Node node, OperatorKernel kernel, Object[] arguments) {
                return kernel.call(arguments);
            }

            @Override
            public Object[] branch(Node node, Part then, Part otherwise) {
                ways.addAll(Arrays.asList(then.run(null, this)));
                ways.addAll(Arrays.asList(otherwise.run(null, null)));
                return new Object[] {7L};
            }
        };
        String text = """
            def f(a: int) -> int:
              b = torch.add(a, 1)
              if torch.gt(a, 0):
                c = torch.mul(b, 10)
              else:
                c = torch.neg(b)
              return torch.add(c, b)
            """;
        assertEquals(13L, run(hook, text, 5L));
        assertEquals(List.of(60L, -6L), ways);
        assertEquals(66L, run((node, kernel, arguments) -> kernel.call(arguments), text, 5L));
    }

    @Test
    void aLoopEndsWhereAHookSaysSo() {
        List<Object> told = new ArrayList<>();
        OperatorHook hook = new OperatorHook() {
            @Override
            public Object call(Node node, OperatorKernel kernel, Object[] arguments) {
                return kernel.call(arguments);
            }

            @Override
            public Object[] loop(Node node, long rounds, long left, Object[] carried, Part round) {
                told.add(List.of(rounds, left, carried[0]));
                if (rounds < 2) {
                    return null;
                }
                told.addAll(Arrays.asList(round.run(new Object[] {100L}, this)));
                return new Object[] {1000L};
            }
        };
        String text = """
            def f(a: int) -> int:
              s = a
              for i in range(5):
                s = torch.add(s, i)
              return torch.add(s, 1)
            """;
        assertEquals(1001L, run(hook, text, 3L));
        assertEquals(List.of(List.of(0L, 5L, 3L), List.of(1L, 4L, 3L), List.of(2L, 3L, 4L), true, 102L), told);
        assertEquals(14L, run((node, kernel, arguments) -> kernel.call(arguments), text, 3L));
    }
}
