package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.Problem;

/** How the device does one kind of operation. */
interface OperationLowering {
    /**
     * Null when it takes operands of these types, else what was found and what is expected. Neither shapes nor values
     * need be known.
     */
    Problem typeRefusal(OperationView site);

    /**
     * Whether a program can only be made once the value of that input is known; asked of inputs that are not constants.
     */
    default boolean isParameter(OperationView site, int input) {
        return input > 0;
    }

    /** Null when it can be done, else what was found and what is expected. Shapes and parameters are known. */
    default Problem refusal(OperationView site) {
        return null;
    }

    /** Says it in operations of a program. */
    void translate(OperationView site, Translation translation);
}
