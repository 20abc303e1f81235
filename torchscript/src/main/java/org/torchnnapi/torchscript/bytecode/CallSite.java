package org.torchnnapi.torchscript.bytecode;

import org.torchnnapi.torchscript.ir.SourceRange;

/**
 * A call that was replaced by what it calls.
 *
 * @param outer the call in whose code this one stands, or null
 * @param range where it stands
 * @param type name of the class of the object whose method it is, or null
 * @param instance what the caller calls that object, empty if it has no name there
 * @param function the name of the function, without its class
 */
record CallSite(CallSite outer, SourceRange range, String type, String instance, String function) {}
