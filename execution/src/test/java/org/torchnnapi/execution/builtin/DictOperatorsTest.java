package org.torchnnapi.execution.builtin;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.torchnnapi.execution.interp.Scripts;
import org.torchnnapi.operators.builtin.Text;
import org.torchnnapi.torchscript.value.ScriptException;

class DictOperatorsTest {
    @Test
    void keysKeepTheirOrder() {
        Object result = Scripts.run(
                "() -> Tuple[Dict[str, int], List[str], int, int, int, bool, List[Tuple[str, int]]]",
                List.of(
                        "d = {\"b\": 1, \"a\": 2}",
                        "torch._set_item(d, \"c\", 3)",
                        "x = torch.pop(d, \"b\")",
                        "y = torch.get(d, \"zz\", 9)",
                        "torch.update(d, {\"q\": 4})",
                        "z = torch.setdefault(d, \"a\", 50)",
                        "return (d, torch.list(torch.keys(d)), x, y, z, torch.__contains__(d, \"b\"), "
                                + "torch.items(d))"));
        assertEquals("({a: 2, c: 3, q: 4}, [a, c, q], 1, 9, 2, False, [(a, 2), (c, 3), (q, 4)])", Text.of(result));
    }

    @Test
    void whatIsTakenOutIsGone() {
        Object result = Scripts.run(
                "() -> Tuple[Dict[int, str], Tuple[int, str], Dict[int, str], int]",
                List.of(
                        "d = {1: \"a\", 2: \"b\", 3: \"c\"}",
                        "e = torch.copy(d)",
                        "first = torch.popitem(d)",
                        "torch.Delete(d, 2)",
                        "torch.clear(e)",
                        "return (d, first, e, torch.len(d))"));
        assertEquals("({3: c}, (1, a), {}, 1)", Text.of(result));
        assertThrows(
                ScriptException.class,
                () -> Scripts.run("() -> int", List.of("d = {1: 2}", "torch.Delete(d, 5)", "return 1")));
    }
}
