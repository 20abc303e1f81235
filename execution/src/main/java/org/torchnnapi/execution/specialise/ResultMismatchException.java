package org.torchnnapi.execution.specialise;

/** An operator gave a result of another type than when its method was recorded: the result depends on elements. */
final class ResultMismatchException extends RuntimeException {
    private static final long serialVersionUID = 1;

    ResultMismatchException(String operator) {
        super(operator, null, false, false);
    }
}
