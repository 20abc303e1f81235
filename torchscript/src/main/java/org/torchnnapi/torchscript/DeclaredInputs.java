package org.torchnnapi.torchscript;

import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.function.Supplier;
import org.torchnnapi.tensor.DType;

/** What a file says of the arguments of a method beside its code. Safe for use by several threads. */
public final class DeclaredInputs {
    /**
     * A size that may be another: {@code factor * symbol + sum}.
     *
     * @param symbol sizes of the same one go together
     */
    public record OpenSize(String symbol, long factor, long sum) {}

    /** A tensor among the arguments. */
    public static final class Input {
        private final DType dtype;
        private final int[] sizes;
        private final OpenSize[] open;

        /**
         * @param sizes those in the example, -1 where they are not known
         * @param open for each dimension, what another size that is taken, too, has to be; null where none is
         */
        public Input(DType dtype, int[] sizes, OpenSize[] open) {
            this.dtype = dtype;
            this.sizes = sizes.clone();
            this.open = open.clone();
        }

        public DType dtype() {
            return dtype;
        }

        /** The sizes in the example, -1 where they are not known. */
        public int[] sizes() {
            return sizes.clone();
        }

        /** The sizes, -1 where another one is taken, too. */
        public int[] shape() {
            int[] shape = sizes.clone();
            for (int i = 0; i < shape.length; i++) {
                shape[i] = open[i] != null ? -1 : shape[i];
            }
            return shape;
        }

        /** For each dimension, what another size that is taken, too, has to be; null where none is. */
        public OpenSize[] open() {
            return open.clone();
        }

        /** Whether the sizes in the example are known. */
        public boolean isSized() {
            return Arrays.stream(sizes).allMatch(size -> size >= 0);
        }
    }

    private final List<Input> tensors;
    private final boolean tensorsAlone;
    private final Supplier<List<Object>> example;

    /**
     * @param tensors among the arguments, in order
     * @param tensorsAlone whether they are the arguments, and no list or number is
     * @param example gives arguments, or null where the file has none that can be read
     */
    public DeclaredInputs(List<Input> tensors, boolean tensorsAlone, Supplier<List<Object>> example) {
        this.tensors = List.copyOf(tensors);
        this.tensorsAlone = tensorsAlone;
        this.example = example;
    }

    /** The tensors among the arguments, in order. */
    public List<Input> tensors() {
        return tensors;
    }

    /** Whether all arguments are tensors. */
    public boolean tensorsAlone() {
        return tensorsAlone;
    }

    /** Whether a tensor may have other sizes than in the example. */
    public boolean hasOpenSizes() {
        return tensors.stream().anyMatch(input -> Arrays.stream(input.shape()).anyMatch(size -> size < 0));
    }

    /** Arguments that the file has as an example, read anew; null where there are none, or they cannot be read. */
    public List<Object> example() {
        List<Object> arguments = example.get();
        return arguments == null ? null : Collections.unmodifiableList(arguments);
    }
}
