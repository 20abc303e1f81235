package org.torchnnapi.cli.serve;

/** A request that is not answered as it wants to be; the message is all that its sender needs. */
final class RefusedRequest extends RuntimeException {
    static final int BAD_REQUEST = 400;
    static final int FORBIDDEN = 403;
    static final int NOT_FOUND = 404;
    static final int WRONG_METHOD = 405;
    static final int CONFLICT = 409;
    static final int TOO_LARGE = 413;
    static final int TOO_MANY = 429;
    static final int FULL = 507;

    private static final long serialVersionUID = 1;

    private final int status;

    /** @param status of HTTP */
    RefusedRequest(int status, String message) {
        super(message);
        this.status = status;
    }

    int status() {
        return status;
    }
}
