package org.torchnnapi.operators;

import java.util.Arrays;
import java.util.List;

/**
 * What the dimensions of a call's results are made of: their sizes, and where each dimension of the tensors that the
 * call takes goes. It follows from the traits of the operator, which its definition says, from those of the operators
 * that it is made of, and from the arguments' geometry; elements are not looked at. Immutable.
 */
public final class AxisMap {
    /** What becomes of a dimension of an argument. */
    public enum Role {
        /**
         * Each slice of the result along a dimension is made of the slice at the same place of the argument, in the
         * same manner for all places: whoever reorders the argument's slices reorders the result's.
         */
        FOLLOWS,
        /** Of size 1, it is repeated along a dimension of the result. */
        BROADCAST,
        /** It is a part of a dimension of the result, beside those of others. */
        JOINED,
        /** All of it may be in each element of the result, or nobody knows where it is. */
        REDUCED
    }

    /**
     * Where a dimension of an argument goes.
     *
     * @param dimension of the result, from 0; -1 of what is {@link Role#REDUCED}
     */
    public record Axis(Role role, int dimension) {
        static final Axis REDUCED = new Axis(Role.REDUCED, -1);

        static Axis follows(int dimension) {
            return new Axis(Role.FOLLOWS, dimension);
        }
    }

    /**
     * A tensor whose elements are in the result.
     *
     * @param argument which of the operator's arguments it is, or lists it
     * @param item its place in that list; -1 where it is the argument itself
     * @param axes where each of its dimensions goes
     */
    public record Operand(int argument, int item, List<Axis> axes) {
        public Operand {
            axes = List.copyOf(axes);
        }
    }

    private final int[] sizes;
    private final List<Operand> operands;

    AxisMap(int[] sizes, List<Operand> operands) {
        this.sizes = sizes.clone();
        this.operands = List.copyOf(operands);
    }

    /**
     * Of a call's results, all of which have the same.
     *
     * @param arguments as the kernel takes them; tensors may be without elements unless the operator is only said in
     *     others, which are run then
     * @return null where that is not known
     */
    public static AxisMap of(Operator operator, Object[] arguments) {
        AxisMap own = AxisRules.of(operator, arguments);
        return own != null ? own : ComposedAxes.of(operator, arguments);
    }

    /** The sizes of each result; a copy. */
    public int[] sizes() {
        return sizes.clone();
    }

    /** Tensors whose elements are in the results. */
    public List<Operand> operands() {
        return operands;
    }

    /**
     * Along which dimension of the results slices follow those of a tensor.
     *
     * @param item its place in the list that the argument is; -1 where it is the argument itself
     * @return -1 if there is none
     */
    public int following(int argument, int item, int dimension) {
        for (Operand operand : operands) {
            if (operand.argument() == argument && operand.item() == item) {
                Axis axis = operand.axes().get(dimension);
                return axis.role() == Role.FOLLOWS ? axis.dimension() : -1;
            }
        }
        return -1;
    }

    @Override
    public String toString() {
        return Arrays.toString(sizes) + " of " + operands;
    }
}
