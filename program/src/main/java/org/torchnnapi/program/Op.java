package org.torchnnapi.program;

import java.util.List;
import org.torchnnapi.kernels.Clamp;
import org.torchnnapi.kernels.UnaryOp;
import org.torchnnapi.program.op.TableOp;

/**
 * An operation of a graph: immutable, with one result. Those of {@code org.torchnnapi.program.op} cover the kernels; an
 * operation of one's own needs {@link #result} and {@link #compile} and gains by the others.
 */
public interface Op {
    /**
     * The type of the result.
     *
     * @throws IllegalArgumentException if the operation cannot take such inputs: the value, then the rule
     */
    ValueType result(List<ValueType> inputs);

    /**
     * How the operation would like an input to lie, given how its result is wanted.
     *
     * @param output how all users of the result would like it; null when they do not mind
     * @return null when it does not matter
     */
    default ImageStorage wish(List<ValueType> inputs, int input, ImageStorage output) {
        return ImageStorage.DECLARED;
    }

    /**
     * How its values are to lie; inputs that lie otherwise are converted first.
     *
     * @param actual how its inputs lie
     * @param wish how the result is wanted; null when it does not matter
     */
    default LayoutAssignment arrange(List<ValueType> inputs, ImageStorage[] actual, ImageStorage wish) {
        return LayoutAssignment.declared(inputs.size());
    }

    /**
     * Where in the elements of input 0 the result is found without any work.
     *
     * @return an offset in elements, -1 when there is work to do
     */
    default int view(Operands operands) {
        return -1;
    }

    /** Where in the result each input's elements lie one after the other, if that is all of the result; else null. */
    default int[] parts(Operands operands) {
        return null;
    }

    /**
     * Whether the result may take the place of that input: each element is read before, or when, its own is written.
     */
    default boolean overwrites(Operands operands, int input) {
        return false;
    }

    /**
     * The same operation on values of one more dimension, of one element, which its inputs and its result have put in
     * at the same place from the back; the elements of the result and their order stay.
     *
     * @param rank how many dimensions the largest of the inputs has
     * @param axis before which of its axes the dimension comes, {@code rank} behind all
     * @return null when the operation has no such form
     */
    default Op expanded(int rank, int axis) {
        return null;
    }

    /** The operation with its floats limited afterwards; null when that is another operation's work. */
    default Op limited(Clamp clamp) {
        return null;
    }

    /** The operation with a function of its floats as the result; null when that is another operation's work. */
    default Op applying(UnaryOp function) {
        return null;
    }

    /** The operation with its bytes limited afterwards; null when that is another operation's work. */
    default Op limited(int min, int max) {
        return null;
    }

    /** The operation with a function of its bytes as the result; null when that is another operation's work. */
    default Op applying(TableOp function) {
        return null;
    }

    /** Packs, plans and checks; what it returns does the work. */
    Step compile(Operands operands);

    /** Bytes of weights that the compiled step keeps, about. */
    default long packedBytes() {
        return 0;
    }

    /** The same where it depends on how the operands are stored. */
    default long packedBytes(Operands operands) {
        return packedBytes();
    }

    /**
     * Bytes of weights, each counted as often as it is multiplied: how much an operation with weights has to do. As it
     * stands, for those whose weights are multiplied with each row of the result's last axis.
     */
    default long weightWork(Operands operands) {
        ValueType type = operands.out().type();
        return packedBytes(operands) * type.count(0, Math.max(0, type.rank() - 1));
    }

    /** For people, in a line of a profile: the class without Op at its end. */
    default String label() {
        String name = getClass().getSimpleName();
        return name.endsWith("Op") ? name.substring(0, name.length() - 2) : name;
    }
}
