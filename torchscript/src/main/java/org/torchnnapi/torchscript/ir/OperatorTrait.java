package org.torchnnapi.torchscript.ir;

/**
 * What is true of an operator beyond its signature, said where the operator is defined. What it writes to, and what its
 * results share memory with, its {@link FunctionSchema} says by annotations.
 */
public enum OperatorTrait {
    /** Equal arguments may give different results: it draws random numbers. */
    RANDOM,
    /**
     * It does something that neither its results nor the arguments it writes to tell, such as printing; it is neither
     * left out nor put off.
     */
    ACTING,
    /**
     * Its result depends on the thread's state, such as whether gradients are recorded, and not only on its arguments.
     */
    READS_STATE,
    /**
     * In training, which an argument says (a flag, or a probability of dropout), it draws random numbers or writes
     * statistics; otherwise it does neither.
     */
    TRAINS,
    /** When it does not train, its result is its first argument. */
    IDENTITY_IN_EVALUATION,
    /** The sizes of a result depend on elements of an argument and not only on the arguments' sizes. */
    DATA_DEPENDENT,
    /** Each element of the result is a function of those at its place in the arguments, which are broadcast. */
    ELEMENTWISE,
    /**
     * Each element of the result is a function of the one at its place in the first argument and of parameters of its
     * channel, dimension 1.
     */
    CHANNELWISE,
    /**
     * Linear in the tensors of values it takes: of complex numbers' real parts it gives the real part of its result, of
     * imaginary parts the imaginary one.
     */
    LINEAR,
    /** The result has the sizes and the dtype of the first argument. */
    KEEPS_SHAPE,
    /** What it writes to may have several elements at one place in memory. */
    WRITES_REPEATED,
    /** It joins the tensors of a list, its first argument, along a dimension, its second. */
    JOINS,
    /** Its result depends on its arguments' sizes, types and flags only, and not on elements. */
    READS_GEOMETRY,
    /**
     * Its result depends on its arguments' sizes only, so that it is the same for a quantized tensor and for its
     * values.
     */
    READS_SIZES,
    /** Its result depends on where in memory an argument's elements lie, and may hold what lies beside them. */
    READS_MEMORY,
    /** It moves items of a list or dict about, or counts them, and looks at none but the keys of a dict. */
    MOVES_ITEMS,
    /** Its result lists parts of its first argument along a dimension. */
    DIVIDES,
    /** Its result always shows memory of its first argument, and never other memory. */
    VIEW,
    /**
     * A result may be an argument, or share memory with it, or an argument with another from then on, and PyTorch's
     * schema does not say so.
     */
    SHARES,
    /**
     * Its result jumps where elements of its arguments change places or pass one another: it orders, chooses, compares
     * or rounds.
     */
    JUMPS,
    /**
     * It moves windows over, or resizes, the dimensions behind the channels of a batch {@code [N, C, ...]}, its first
     * argument.
     */
    SPATIAL,
    /** Its result is the smaller or the greater of two numbers. */
    CHOOSES_NUMBER,
    /** Its result is the only element of its tensor, as a number. */
    ITEM,
    /**
     * A constant tensor without dimensions as second operand counts as a number, as PyTorch's executor rewrites it
     * (pass CanonicalizeOps).
     */
    TAKES_NUMBERS,
    /** It can be said in other operators, and is defined so. */
    COMPOSITE,
    /** Said in other operators only: there is no implementation beside. */
    ONLY_COMPOSITE;

    /** Whether an operator, which may be null for one that is unknown, has this trait. */
    public boolean of(FunctionSchema schema) {
        return schema != null && schema.traits().contains(this);
    }

    /** Whether a node's operator has this trait. */
    public boolean of(Node node) {
        return of(node.schema());
    }
}
