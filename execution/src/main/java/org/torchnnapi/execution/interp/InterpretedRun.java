package org.torchnnapi.execution.interp;

import java.util.List;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.value.ScriptException;

/** What the programs of one run share. Confined to the thread that runs it. */
final class InterpretedRun {
    /** TorchScript functions do not recurse, so real models stay far below this. */
    static final int MAX_CALLS = 400;

    final Interpreter interpreter;
    /** Null if operators are simply called. */
    final OperatorHook hook;
    /** Null if all steps run one by one. */
    final RegionRunner runner;
    /** Memory that only the result of the program that ended last refers to; null for none. */
    List<SlotFrame.Lent> leaving;

    private int calls;

    InterpretedRun(Interpreter interpreter, OperatorHook hook, RegionRunner runner) {
        this.interpreter = interpreter;
        this.hook = hook;
        this.runner = runner;
    }

    /** @param function that is called, or null where a graph alone is run */
    void enter(Function function) {
        if (++calls > MAX_CALLS) {
            throw new ScriptException(
                    "RecursionError",
                    "call of " + (function == null ? "graph" : function.qualifiedName()) + " at depth " + calls
                            + " (expected: at most " + MAX_CALLS + ")");
        }
    }

    void leave() {
        calls--;
    }

    /** Before a step whose effect lasts. */
    void acts(Node node) {
        if (hook != null) {
            hook.acts(node);
        }
    }

    /** Called where a program may run for long. */
    static void checkInterrupt() {
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedRunException();
        }
    }
}
