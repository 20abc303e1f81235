package org.torchnnapi.execution.builtin;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.torchnnapi.execution.interp.Scripts;
import org.torchnnapi.operators.builtin.Text;

/** Expected values are genuine PyTorch's. */
class ListOperatorsTest {
    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', textBlock = """
        bool        | torch.eq([1, 2], [1, 2])              | true
        bool        | torch.eq([1, 2], [1, 2, 3])           | false
        bool        | torch.eq([1., nan], [1., nan])        | false
        bool        | torch.ne([nan], [nan])                | true
        bool        | torch.eq([0.], [-0.])                 | true
        float       | ops.prim.min([nan, 1.5, 0.5])         | NaN
        float       | ops.prim.max([1.5, nan])              | 1.5
        float       | ops.prim.max([0., -0.])               | 0.0
        float       | ops.prim.max([-0., 0.])               | -0.0
        List[int]   | ops.prim.min([2, 1], [2, 1, 0])       | [2, 1]
        List[int]   | ops.prim.max([2, 1], [2, 1, 0])       | [2, 1, 0]
        List[float] | ops.prim.max([1., nan], [1., 2.])     | [1.0, NaN]
        List[float] | torch.sorted([0., -0.])               | [0.0, -0.0]
        List[float] | torch.sorted([2., nan, 1.])           | [1.0, 2.0, NaN]
        List[str]   | torch.sorted(["b", "a", "B"])         | [B, a, b]
        int         | torch.count([1., 1., 2.], 1.)         | 2
        int         | torch.count([nan], nan)               | 0
        bool        | torch.__contains__([nan], nan)        | false
        int         | torch.index(["a", "b"], "b")          | 1
        int         | torch.sum([True, True, False])        | 2
        bool        | torch.any(["", ""])                   | false
        bool        | torch.all([1, 0])                     | false
        List[int]   | torch.slice([5, 3, 9, 1], -3, None, 2) | [3, 1]
        List[int]   | torch.slice([5, 3, 9, 1], 10, None, -1) | [1, 9, 3, 5]
        List[int]   | torch.mul([1, 2], -1)                 | []
        """)
    void values(String type, String expression, String expected) {
        assertEquals(expected, String.valueOf(Scripts.eval(type, expression)));
    }

    @Test
    void changesAreMadeInPlace() {
        Object result = Scripts.run(
                "() -> Tuple[List[int], List[int], int, bool, int]",
                List.of(
                        "a = [5, 3, 9, 1]",
                        "b = a",
                        "torch.sort(a)",
                        "torch.extend(a, [7, 7])",
                        "torch.insert(a, 0, 0)",
                        "torch.Delete(a, 1)",
                        "c = torch.pop(a)",
                        "torch.reverse(a)",
                        "_0 = torch._set_item(a, -1, 100)",
                        "d = torch.add(torch.slice(b, 1, 3), torch.mul([0], 2))",
                        "return (b, d, c, torch.__contains__(b, 9), torch.index(b, 5))"));
        assertEquals("([7, 9, 5, 3, 100], [9, 5, 0, 0], 7, True, 2)", Text.of(result));
    }
}
