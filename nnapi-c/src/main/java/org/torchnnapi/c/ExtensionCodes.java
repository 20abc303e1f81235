package org.torchnnapi.c;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.nnapi.driver.Extension;
import org.torchnnapi.nnapi.model.ExtensionCode;
import org.torchnnapi.nnapi.model.ExtensionType;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.runtime.Device;
import org.torchnnapi.nnapi.runtime.Devices;

/**
 * Numbers of what extensions define: the code within the extension, and above its 16 bits the extension's number in
 * this process, which it gets when it is first asked for, known to a device or not, as on Android.
 */
final class ExtensionCodes {
    private static final int CODE_BITS = 16;
    private static final int MAX_PREFIX = 0x7FFF;
    /** By number less one; no extension has the number 0, which is the specification's own. */
    private static final List<String> NAMES = new ArrayList<>();

    private ExtensionCodes() {}

    /**
     * @throws org.torchnnapi.nnapi.model.NnapiException BAD_DATA if the name is empty, or there are too many extensions
     */
    static synchronized int number(ExtensionCode code) {
        int at = NAMES.indexOf(code.extension());
        if (at < 0) {
            if (NAMES.size() == MAX_PREFIX) {
                throw Answer.bad("extension " + code.extension() + ": one more than " + MAX_PREFIX
                        + " (expected: at most as many names in a process)");
            }
            NAMES.add(code.extension());
            at = NAMES.size() - 1;
        }
        return at + 1 << CODE_BITS | code.code();
    }

    /** Whether a number is one of an extension's. */
    static boolean isExtension(int number) {
        return number >>> CODE_BITS != 0;
    }

    /** @throws org.torchnnapi.nnapi.model.NnapiException BAD_DATA if no extension has such a number */
    static synchronized ExtensionCode of(int number) {
        int prefix = number >>> CODE_BITS;
        if (prefix > NAMES.size()) {
            throw Answer.bad("code: " + number + " (expected: one that an extension's name was asked for)");
        }
        return new ExtensionCode(NAMES.get(prefix - 1), number & (1 << CODE_BITS) - 1);
    }

    /** The number of an operand's type. */
    static int typeNumber(OperandDescriptor operand) {
        if (operand.extension() == null) {
            return operand.type().code();
        }
        ExtensionType type = operand.extension().type();
        return number(new ExtensionCode(type.extension(), type.code()));
    }

    /** The operand of a type by its number, and of what else a caller says of it. */
    static OperandDescriptor operand(int type, int[] dimensions, float scale, int zeroPoint) {
        if (!isExtension(type)) {
            return new OperandDescriptor(OperandType.ofCode(type), dimensions, scale, zeroPoint, null);
        }
        ExtensionType found = type(of(type));
        if (scale != 0 || zeroPoint != 0) {
            throw Answer.bad("scale " + scale + ", zeroPoint " + zeroPoint + " of type " + found
                    + " (expected: 0, 0 for types of extensions)");
        }
        return OperandDescriptor.ofExtension(found, dimensions);
    }

    /** What the devices say of a type; where they disagree nobody can use it. */
    private static ExtensionType type(ExtensionCode code) {
        ExtensionType found = null;
        for (Device device : Devices.installed().all()) {
            for (Extension extension : device.extensions()) {
                for (ExtensionType type : extension.operandTypes()) {
                    if (type.extension().equals(code.extension()) && type.code() == code.code()) {
                        if (found != null && !found.equals(type)) {
                            throw Answer.bad("type " + code + ": of " + found.elementBytes() + " and of "
                                    + type.elementBytes() + " bytes by device (expected: devices that agree)");
                        }
                        found = type;
                    }
                }
            }
        }
        if (found == null) {
            throw Answer.bad(
                    "type " + code + ": no device has it (expected: one of an extension that a device announces)");
        }
        return found;
    }
}
