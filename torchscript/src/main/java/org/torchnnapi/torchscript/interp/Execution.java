package org.torchnnapi.torchscript.interp;

/** What the programs of one run share. Confined to the thread that runs it. */
final class Execution {
    /** TorchScript functions do not recurse, so real models stay far below this. */
    static final int MAX_CALLS = 400;

    final Interpreter interpreter;
    final NodeObserver observer;
    private int calls;

    Execution(Interpreter interpreter, NodeObserver observer) {
        this.interpreter = interpreter;
        this.observer = observer;
    }

    void enter(String function) {
        if (++calls > MAX_CALLS) {
            throw new ScriptException("RecursionError", "call of " + function + " at depth " + calls + " (expected: at most " + MAX_CALLS + ")");
        }
    }

    void leave() {
        calls--;
    }

    /** Called where a program may run for long. */
    static void checkInterrupt() {
        if (Thread.currentThread().isInterrupted()) {
            throw new InterruptedRunException();
        }
    }
}
