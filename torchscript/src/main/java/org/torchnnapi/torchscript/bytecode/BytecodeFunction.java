package org.torchnnapi.torchscript.bytecode;

import java.util.List;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Type;

/**
 * A method as the file has it.
 *
 * @param name qualified, for example {@code __torch__.net.Net.forward}
 * @param constants runtime values, which may be null
 * @param schema with the object as first argument
 */
public record BytecodeFunction(
        String name,
        List<Instruction> code,
        List<OperatorName> operators,
        List<Object> constants,
        List<Type> types,
        FunctionSchema schema) {
    /**
     * An operator that instructions refer to.
     *
     * @param arguments how many arguments calls pass, the rest being defaults; -1 if the file does not say (before
     *     version 6)
     */
    public record OperatorName(String name, String overload, int arguments) {}
}
