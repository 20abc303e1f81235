package org.torchnnapi.exported;

import org.torchnnapi.torchscript.ir.Identifiers;

/** Names that TorchScript can write, of names that Python objects have. */
public final class Names {
    private Names() {}

    /** The name, with what no identifier has replaced. */
    public static String identifier(String name) {
        String plain = Identifiers.plain(name);
        return Identifiers.isKeyword(plain) ? '_' + plain : plain;
    }

    /** Whether a name is of identifiers with dots between them. */
    static boolean isQualified(String name) {
        for (String part : name.split("\\.", -1)) {
            if (!identifier(part).equals(part)) {
                return false;
            }
        }
        return true;
    }
}
