package org.torchnnapi.cli.serve;

/** An answer of HTTP that is an error; the message is all that who sent the request needs. */
final class HttpError extends RuntimeException {
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

    private HttpError(int status, String message) {
        super(message);
        this.status = status;
    }

    static HttpError badRequest(String message) {
        return new HttpError(BAD_REQUEST, message);
    }

    static HttpError forbidden(String message) {
        return new HttpError(FORBIDDEN, message);
    }

    static HttpError notFound(String message) {
        return new HttpError(NOT_FOUND, message);
    }

    static HttpError wrongMethod(String message) {
        return new HttpError(WRONG_METHOD, message);
    }

    static HttpError conflict(String message) {
        return new HttpError(CONFLICT, message);
    }

    static HttpError tooLarge(String message) {
        return new HttpError(TOO_LARGE, message);
    }

    static HttpError tooMany(String message) {
        return new HttpError(TOO_MANY, message);
    }

    static HttpError full(String message) {
        return new HttpError(FULL, message);
    }

    int status() {
        return status;
    }
}
