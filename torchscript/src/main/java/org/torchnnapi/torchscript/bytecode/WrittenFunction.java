package org.torchnnapi.torchscript.bytecode;

import java.util.List;
import org.torchnnapi.torchscript.ir.SourceRange;

/**
 * A method as byte code that was made here.
 *
 * @param registers how many there are
 * @param ranges    for each instruction, the place of the node it belongs to
 */
record WrittenFunction(BytecodeFunction function, int registers, List<SourceRange> ranges) {
}
