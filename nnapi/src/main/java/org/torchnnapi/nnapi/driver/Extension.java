package org.torchnnapi.nnapi.driver;

import java.util.Collection;
import java.util.List;
import org.torchnnapi.nnapi.model.ExtensionType;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;

/**
 * Types and operations beyond the specification's that a device announces. Which operations there are, and what they
 * take, the device says of each model ({@link Driver#refusals}).
 *
 * @param name unique, by rule the reverse domain name of the vendor first
 * @param operandTypes its types, each with a code of its own
 */
public record Extension(String name, List<ExtensionType> operandTypes) {
    /** Stands for the types and the operation that vendors gave a meaning of their own before there were extensions. */
    public static final Extension OEM = new Extension("oem", List.of());

    /** @throws NnapiException BAD_DATA if a type is another extension's, or two have one code */
    public Extension {
        operandTypes = List.copyOf(operandTypes);
        for (ExtensionType type : operandTypes) {
            if (!type.extension().equals(name)) {
                throw new NnapiException(
                        ResultCode.BAD_DATA,
                        "type " + type + " in extension " + name + " (expected: of that extension)");
            }
        }
        if (operandTypes.stream().map(ExtensionType::code).distinct().count() != operandTypes.size()) {
            throw new NnapiException(
                    ResultCode.BAD_DATA, "extension " + name + ": two types of one code (expected: a code each)");
        }
    }

    /** Whether one of that name is among some. */
    public static boolean isAmong(String name, Collection<Extension> extensions) {
        return extensions.stream().anyMatch(extension -> extension.name.equals(name));
    }
}
