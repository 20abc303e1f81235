package org.torchnnapi.torchscript.bytecode;

import java.util.List;

/**
 * A method as byte code that was made here.
 *
 * @param registers how many there are
 * @param places for each instruction, what it was made of
 */
record WrittenFunction(BytecodeFunction function, int registers, List<CodePlace> places) {}
