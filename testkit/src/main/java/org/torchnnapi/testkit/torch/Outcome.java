package org.torchnnapi.testkit.torch;

/**
 * What became of a case in a suite.
 *
 * @param detail why it failed or was skipped; "" if it passed
 */
record Outcome(Status status, String detail) {
    enum Status { PASSED, FAILED, SKIPPED }

    static Outcome passed() {
        return new Outcome(Status.PASSED, "");
    }

    static Outcome failed(String detail) {
        return new Outcome(Status.FAILED, detail);
    }

    static Outcome skipped(String detail) {
        return new Outcome(Status.SKIPPED, detail);
    }
}
