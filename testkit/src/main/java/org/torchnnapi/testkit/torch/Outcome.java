package org.torchnnapi.testkit.torch;

import java.util.concurrent.Callable;
import org.torchnnapi.torchscript.value.ScriptException;

/**
 * What became of a case in a suite.
 *
 * @param detail why it failed or was skipped; "" if it passed
 */
record Outcome(Status status, String detail) {
    enum Status {
        PASSED,
        FAILED,
        SKIPPED
    }

    static Outcome passed() {
        return new Outcome(Status.PASSED, "");
    }

    static Outcome failed(String detail) {
        return new Outcome(Status.FAILED, detail);
    }

    static Outcome skipped(String detail) {
        return new Outcome(Status.SKIPPED, detail);
    }

    /** What is wrong as an outcome. */
    static Outcome unless(String wrong) {
        return wrong == null ? passed() : failed(wrong);
    }

    /** What something comes to; what it throws is a failure, with its place where the text alone is no message. */
    static Outcome of(Callable<Outcome> judged) {
        try {
            return judged.call();
        } catch (ScriptException | IllegalArgumentException e) {
            return failed(e.getMessage());
        } catch (Exception | StackOverflowError | OutOfMemoryError e) {
            StackTraceElement[] trace = e.getStackTrace();
            return failed(e + (trace.length == 0 ? "" : " at " + trace[0]));
        }
    }
}
