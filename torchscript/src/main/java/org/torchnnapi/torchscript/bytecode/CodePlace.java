package org.torchnnapi.torchscript.bytecode;

import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.SourceRange;

/**
 * What an instruction was made of.
 *
 * @param kind of the node, for example {@code aten::add}
 * @param call the call it was inlined from, or null
 */
record CodePlace(SourceRange range, String kind, CallSite call) {
    static final CodePlace NONE = new CodePlace(SourceRange.NONE, Prim.RETURN, null);
}
