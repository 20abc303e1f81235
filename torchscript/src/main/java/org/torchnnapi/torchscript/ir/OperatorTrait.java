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
    /**
     * Each element of the result is made of the one at its place in the first argument, and of other tensors' types and
     * sizes alone.
     */
    SAME_PLACES,
    /** The result has the elements of the first argument in their row-major order, under other sizes. */
    KEEPS_ORDER,
    /**
     * Of all that lies along the dimensions {@code dim} of its first argument, all of them where none is named, it
     * makes one element, and keeps these dimensions, of size 1, where {@code keepdim} says so.
     */
    REDUCES,
    /**
     * Each element of the results is made of those of its first argument that lie at its place but for the dimension
     * {@code dim}, the only one whose size may change: to {@code k} where there is such an argument.
     */
    MIXES_ALONG,
    /**
     * The matrix product of its first two arguments: of {@code [..., n, k]} and {@code [..., k, m]}, or {@code [m, k]}
     * where the second is called {@code weight}; vectors are matrices of one row or column, left out of the result.
     */
    MULTIPLIES_MATRICES,
    /**
     * A convolution of its first argument, {@code [N, C, ...]} or {@code [C, ...]}, with the second; transposed where
     * {@code transposed} says so, or where there is only an {@code output_padding}.
     */
    CONVOLVES,
    /** Of each region, a row of its second argument, it makes {@code pooled_height} by {@code pooled_width} bins. */
    POOLS_REGIONS,
    /**
     * It picks from its first argument, along {@code dim} or the first dimension, what places say, which are the only
     * other tensors or in the only list: these dimensions of the result are those of the places.
     */
    LOOKS_UP,
    /** It makes a tensor of the sizes {@code size} whose elements are all alike, or mean nothing. */
    FILLS,
    /** It divides its first argument by the second, whole numbers among them, which fails at 0. */
    QUOTIENT,
    /** It tells where elements other than 0 are: rows of coordinates, or a list with a vector for each dimension. */
    FINDS_PLACES,
    /** Elements of its last result are places along the dimension {@code dim} of its first argument. */
    GIVES_PLACES,
    /** Elements of the result are truth values. */
    TESTS,
    /** It combines the bits of its arguments, so that of truth values it makes truth values. */
    COMBINES_BITS,
    /** Of numbers, it takes all there are. */
    TOTAL,
    /** It fails where a dimension that it works on has no elements, or fewer than its other arguments say. */
    NEEDS_ELEMENTS,
    /**
     * Quantized models have it as it stands: of a quantized tensor it makes one of the same quantization, of integers
     * that are among that one's, or the one that means 0.
     */
    KEEPS_INTEGERS,
    /** Quantized models have it as it stands: of a quantized tensor it makes one of the same quantization, rounded. */
    ROUNDS_INTEGERS,
    /** Of a quantized tensor it makes one of a quantization that the range of its results says. */
    FIXES_QUANTIZATION,
    /** Its result depends on its arguments' sizes, types and flags only, and not on elements. */
    READS_GEOMETRY,
    /**
     * Its result depends on its arguments' sizes only, so that it is the same for a quantized tensor and for its
     * values.
     */
    READS_SIZES,
    /** Its result depends on its argument's type, device and number of dimensions only, whatever the sizes are. */
    READS_KIND,
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
    /** The same of a list of one tensor; what it makes of several is new. */
    SHARES_ONE,
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
