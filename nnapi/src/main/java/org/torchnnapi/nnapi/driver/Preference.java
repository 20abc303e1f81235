package org.torchnnapi.nnapi.driver;

import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;

/** What an application wants most; the constant's position is its code. */
public enum Preference {
    LOW_POWER,
    FAST_SINGLE_ANSWER,
    SUSTAINED_SPEED;

    /** @throws NnapiException BAD_DATA if none has this code */
    public static Preference ofCode(int code) {
        if (code < 0 || code >= values().length) {
            throw new NnapiException(ResultCode.BAD_DATA, "preference: " + code + " (expected: 0 to 2)");
        }
        return values()[code];
    }
}
