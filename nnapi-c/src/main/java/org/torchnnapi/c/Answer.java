package org.torchnnapi.c;

import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.tensor.platform.Environment;

/**
 * How calls answer C: a code; or a handle, which is positive, or a code made negative; or a code in the upper and a
 * value in the lower half of a long. Where the environment has {@code TORCH_NNAPI_LOG}, what led to a code is printed.
 */
final class Answer {
    static final int OK = ResultCode.NO_ERROR.code();
    private static final boolean TOLD = Environment.get("TORCH_NNAPI_LOG") != null;

    private Answer() {}

    /** The code for a failure. */
    static int code(Throwable failure) {
        ResultCode code;
        if (failure instanceof NnapiException nnapi) {
            code = nnapi.resultCode();
        } else if (failure instanceof OutOfMemoryError) {
            code = ResultCode.OUT_OF_MEMORY;
        } else {
            code = ResultCode.OP_FAILED;
        }
        if (TOLD) {
            System.err.println("libneuralnetworks: " + failure);
        } else if (!(failure instanceof NnapiException || failure instanceof OutOfMemoryError)) {
            System.err.println("libneuralnetworks: internal error, please report it: " + failure);
        }
        return code.code();
    }

    /** A failure in place of a handle or another positive number. */
    static long negative(Throwable failure) {
        return -code(failure);
    }

    static long pair(int code, int value) {
        return (long) code << 32 | value & 0xFFFFFFFFL;
    }

    static NnapiException bad(String message) {
        return new NnapiException(ResultCode.BAD_DATA, message);
    }

    static NnapiException badState(String message) {
        return new NnapiException(ResultCode.BAD_STATE, message);
    }
}
