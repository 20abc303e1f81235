package org.torchnnapi.torchscript.bytecode;

/**
 * One step of the stack machine.
 *
 * @param op PyTorch's name, for example {@code LOADC}
 * @param x first operand: a register, index or jump distance
 * @param n second operand, often a count
 */
public record Instruction(String op, int x, int n) {
    @Override
    public String toString() {
        return op + " " + x + " " + n;
    }
}
