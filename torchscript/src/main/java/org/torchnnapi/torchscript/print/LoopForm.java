package org.torchnnapi.torchscript.print;

import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Value;

/** The statement that a {@code prim::Loop} becomes. */
enum LoopForm {
    /** {@code for i in range(n)}: the condition is always true. */
    FOR,
    /** {@code while condition}: no limit, and the trip index is not used. */
    WHILE,
    /** Both a limit and a condition, which take a counter. */
    COUNTED_WHILE;

    static LoopForm of(Node loop) {
        if (isTrue(loop.input(1)) && isTrue(loop.blocks().get(0).results().get(0))) {
            return FOR;
        }
        boolean unlimited = loop.input(0).definition() != null
                && Long.valueOf(Long.MAX_VALUE)
                        .equals(loop.input(0).definition().attribute("value"));
        return unlimited && !loop.blocks().get(0).parameters().get(0).isUsed() ? WHILE : COUNTED_WHILE;
    }

    boolean isPlain() {
        return this != COUNTED_WHILE;
    }

    private static boolean isTrue(Value value) {
        return value.definition() != null
                && value.definition().is(Prim.CONSTANT)
                && Boolean.TRUE.equals(value.definition().attribute("value"));
    }
}
