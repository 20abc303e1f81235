package org.torchnnapi.converter.shape;

import java.util.List;

/** A size that the converted model computes from the sizes of its inputs. */
public sealed interface SizeExpression {
    /** Size {@code dimension} of argument {@code argument} of the model. */
    record ArgumentSize(int argument, int dimension) implements SizeExpression {}

    /** The variable that holds size {@code dimension} (PyTorch's order) of an operand. */
    record OperandSize(int operand, int dimension) implements SizeExpression {
        /** The variable's name. */
        public String name() {
            return "s_" + operand + "_" + dimension;
        }
    }

    record Number(long value) implements SizeExpression {}

    /** {@code first + second + ..}, evaluated from the left. */
    record Sum(List<SizeExpression> terms) implements SizeExpression {
        public Sum {
            terms = List.copyOf(terms);
        }
    }

    /** {@code (operand size - kernel + padBefore + padAfter) // stride + 1}: the windows that fit. */
    record WindowCount(OperandSize size, int kernel, int padBefore, int padAfter, int stride)
            implements SizeExpression {}

    /** {@code (operand size - 1) * stride + kernel - padBefore - padAfter}: what transposed windows cover. */
    record WindowExtent(OperandSize size, int stride, int kernel, int padBefore, int padAfter)
            implements SizeExpression {}

    /** {@code int(factor * operand size)}. */
    record Scaled(double factor, OperandSize size) implements SizeExpression {}
}
