package org.torchnnapi.execution.tracing;

/** An operator gave a result of another type than when its method was recorded: the result depends on elements. */
final class ResultMismatchException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient Recording.Call call;

    ResultMismatchException(Recording.Call call) {
        super(call.node().kind(), null, false, false);
        this.call = call;
    }

    Recording.Call call() {
        return call;
    }
}
