package org.torchnnapi.operators;

/** The value of an operator. */
@FunctionalInterface
public interface OperatorKernel {
    /**
     * @param args one runtime value per schema argument, defaults filled in (see the {@code value} package)
     * @return the result; null for None or no result; {@code Object[]} for operators with several results
     */
    Object call(Object[] args);
}
