package org.torchnnapi.exported;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Expressions of sizes, as texts. */
class ExpressionTest {
    @Test
    void callsLeaveKeywordsOut() {
        assertEquals(
                new Expression.Call(new Expression.Name("Symbol"), List.<Expression>of(new Expression.Text("s7"))),
                Expression.parse("Symbol('s7', positive=True, integer=True)"));
    }

    @Test
    void operatorsBindAsInPython() {
        assertEquals(
                new Expression.Binary(
                        "==",
                        new Expression.Binary(
                                "+",
                                new Expression.Number(1),
                                new Expression.Binary("*", new Expression.Number(2), new Expression.Name("s"))),
                        new Expression.Number(3)),
                Expression.parse("1 + 2*s == 3"));
        assertEquals(
                new Expression.Binary("//", new Expression.Name("a"), new Expression.Name("b")),
                Expression.parse("(a) // b"));
    }

    @Test
    void placesOfArguments() {
        assertNotNull(Expression.parse("L['x'][0].size()[1] != torch.sym_max(1, L['y'].size()[0] // 2)"));
    }

    @Test
    void whatIsNoExpressionIsNull() {
        for (String text : new String[] {
            "", "(", "1 +", "'open", "a b", "99999999999999999999", "(".repeat(10_000), "1" + "+1".repeat(10_000)
        }) {
            assertNull(Expression.parse(text), text.length() > 20 ? "deep" : text);
        }
    }
}
