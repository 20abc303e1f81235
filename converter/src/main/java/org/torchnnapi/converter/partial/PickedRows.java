package org.torchnnapi.converter.partial;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.partial.AbstractValue.Known;
import org.torchnnapi.converter.partial.AbstractValue.Open;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Rows that masks pick, by the values that stand for them: which rows there could be, which of them are picked, and
 * what belongs to each.
 */
final class PickedRows {
    private final AbstractInterpreter interpreter;
    private final ResidualGraph residual;
    /** By what was made of the rows picked. */
    private final Map<Value, Rows> rows = new IdentityHashMap<>();
    /** By a number of rows picked. */
    private final Map<Value, Picking> counts = new IdentityHashMap<>();

    private final Map<Value, Picking> masks = new IdentityHashMap<>();
    private final Map<List<Object>, Picking> joins = new HashMap<>();

    PickedRows(AbstractInterpreter interpreter, ResidualGraph residual) {
        this.interpreter = interpreter;
        this.residual = residual;
    }

    /** Which rows are picked; each choice is one object. */
    static final class Picking {
        final Open mask;
        final List<Object> parts;
        final int count;

        /**
         * @param mask a tensor of truth values or whole numbers, or null
         * @param parts where there is no mask, what is joined: others, and numbers of rows that are all picked
         * @param count rows there could be
         */
        Picking(Open mask, List<Object> parts, int count) {
            this.mask = mask;
            this.parts = parts;
            this.count = count;
        }
    }

    /**
     * @param all what belongs to each place of the mask
     * @param picking which of that is picked
     * @param dimension along which it lies
     */
    record Rows(AbstractValue all, Picking picking, int dimension) {
        Tensor sample() {
            return (Tensor) AbstractInterpreter.sample(all);
        }

        /** Counted from the last dimension, as tensors broadcast. */
        int fromEnd() {
            return sample().rank() - dimension;
        }

        /** Whether these are coordinates of the mask. */
        boolean areConstant() {
            return all instanceof Known;
        }
    }

    /** Lets a value be rows that are picked. */
    void put(Value value, Rows of) {
        rows.put(value, of);
    }

    /** Lets a value be the number of rows that are picked. */
    void number(Value value, Picking of) {
        counts.put(value, of);
    }

    /** The sizes of a mask of known shape, or null. */
    static int[] sizes(AbstractValue mask) {
        return mask instanceof Open open
                        && open.sample() instanceof Tensor tensor
                        && tensor.rank() > 0
                        && tensor.numel() > 0
                ? tensor.sizes()
                : null;
    }

    /** How many elements a shape has. */
    static int count(int... sizes) {
        return Arrays.stream(sizes).reduce(1, Math::multiplyExact);
    }

    /** Of each place of a mask where it stands along a dimension. */
    static Tensor coordinates(int[] sizes, int dimension) {
        int behind = count(Arrays.copyOfRange(sizes, dimension + 1, sizes.length));
        long[] places = new long[count(sizes)];
        Arrays.setAll(places, i -> i / behind % sizes[dimension]);
        return Tensor.of(places, places.length);
    }

    /** A shape with so many neighbouring dimensions made one. */
    static int[] flat(int[] sizes, int from, int many) {
        int[] flat = new int[sizes.length - many + 1];
        System.arraycopy(sizes, 0, flat, 0, from);
        flat[from] = count(Arrays.copyOfRange(sizes, from, from + many));
        System.arraycopy(sizes, from + many, flat, from + 1, flat.length - from - 1);
        return flat;
    }

    /** The sizes of a tensor of one element. */
    static int[] ones(int rank) {
        int[] ones = new int[rank];
        Arrays.fill(ones, 1);
        return ones;
    }

    /** A tensor of one number. */
    static Tensor one(long number, int rank) {
        return Tensor.of(new long[] {number}, ones(rank));
    }

    /** A dimension that may count from the end, counted from the front. */
    static long dimension(Object argument, int rank) {
        return Math.floorMod((Long) argument, (long) Math.max(1, rank));
    }

    /** The rows that a value stands for, or null. */
    Rows of(AbstractValue known) {
        return known instanceof Open open ? rows.get(open.value()) : null;
    }

    /** Whose number of rows a value is, or null. */
    Picking counted(AbstractValue known) {
        return known instanceof Open open ? counts.get(open.value()) : null;
    }

    /** Along which dimension a value has rows, as {@link RowDimensions#of} takes it. */
    int along(AbstractValue known) {
        Rows own = of(known);
        return own != null ? own.dimension() : counted(known) != null ? RowDimensions.NUMBER : RowDimensions.NONE;
    }

    /** The choice that a mask of known shape makes. */
    Picking picking(Open mask) {
        return masks.computeIfAbsent(mask.value(), value -> new Picking(mask, List.of(), count(sizes(mask))));
    }

    /** The choice among rows that a mask, itself of these rows, makes. */
    Picking within(Value given, Rows mask) {
        return masks.computeIfAbsent(given, value -> {
            Value both = residual.both(mask.all(), picks(mask.picking()));
            return new Picking(
                    (Open) interpreter.open(both, Tensor.zeros(DType.BOOL, mask.picking().count)),
                    List.of(),
                    mask.picking().count);
        });
    }

    /** Whether there is a row that is picked whatever the masks are. */
    static boolean hasRows(Picking picking) {
        return picking.parts.stream().anyMatch(part -> part instanceof Picking own ? hasRows(own) : (Integer) part > 0);
    }

    /** The choice of rows that lie behind each other. */
    Picking joined(List<Object> parts) {
        int count = parts.stream()
                .mapToInt(part -> part instanceof Picking picking ? picking.count : (Integer) part)
                .sum();
        return joins.computeIfAbsent(parts, p -> new Picking(null, parts, count));
    }

    /** Whether a value is a vector of places, one a row. */
    boolean arePlaces(AbstractValue known) {
        Rows own = of(known);
        return own != null && own.sample().rank() == 1 && own.sample().dtype() == DType.INT64;
    }

    /** A value, of which {@code sample} is one, under another shape. */
    AbstractValue reshaped(AbstractValue known, Tensor sample, int... to) {
        if (Arrays.equals(sample.sizes(), to)) {
            return known;
        }
        return interpreter.open(residual.reshape(known, to), Tensor.zeros(sample.dtype(), to));
    }

    /** Places of all rows, the first one for those that are not picked: theirs may lie anywhere. */
    AbstractValue safe(Rows places) {
        return places.sample().dtype() != DType.INT64 || places.areConstant()
                ? places.all()
                : interpreter.open(
                        chosen(places, null),
                        Tensor.zeros(DType.INT64, places.sample().sizes()));
    }

    /** A truth value for each row there could be. */
    AbstractValue picks(Picking picking) {
        int[] flat = {picking.count};
        if (picking.mask == null) {
            List<Object> parts = new ArrayList<>();
            for (Object part : picking.parts) {
                parts.add(part instanceof Picking own ? picks(own) : new Known(truths((Integer) part)));
            }
            Value made = residual.concatenate(residual.list(Type.Basic.TENSOR, parts), 0);
            return interpreter.open(made, Tensor.zeros(DType.BOOL, flat));
        }
        Tensor mask = (Tensor) picking.mask.sample();
        AbstractValue own = reshaped(picking.mask, mask, flat);
        if (mask.dtype() == DType.BOOL) {
            return own;
        }
        Value made = residual.tensor("aten::ne.Scalar", own, 0);
        return interpreter.open(made, Tensor.zeros(DType.BOOL, flat));
    }

    private static Tensor truths(int count) {
        Tensor all = Tensor.zeros(DType.BOOL, count);
        Arrays.fill(all.storage().byteArray(), (byte) 1);
        return all;
    }

    /** The rows that the mask picks, of real numbers, and another number in the places of the rest. */
    AbstractValue filled(Rows values, float rest) {
        Tensor one = Tensor.of(new float[] {rest}, ones(values.sample().rank()));
        return interpreter.open(chosen(values, new Known(one)), values.sample());
    }

    /** The rows that the mask picks, and those of {@code others}, or zeros, in the places of the rest. */
    Value chosen(Rows values, AbstractValue others) {
        Tensor sample = values.sample();
        int[] ones = ones(sample.rank());
        int[] dims = ones.clone();
        dims[values.dimension()] = values.picking().count;
        AbstractValue condition =
                reshaped(picks(values.picking()), Tensor.zeros(DType.BOOL, values.picking().count), dims);
        Value rest =
                others != null ? residual.value(others) : residual.constant(Tensor.zeros(sample.dtype(), ones), null);
        Value made = residual.where(condition, values.all(), rest);
        interpreter.open(made, sample);
        return made;
    }
}
