package org.torchnnapi.exported.lowering;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.DeclaredInputs;

/**
 * Which sizes of tensors among the arguments of a program are left open, and which numbers a run finds that elements
 * decide. Each size is a symbol, or a multiple of one and a number; what has one symbol goes together. Immutable.
 */
public final class OpenSizes {
    /** None. */
    public static final OpenSizes NONE = new OpenSizes(List.of(), List.of());

    /**
     * A size that is left open: {@code factor * symbol + sum}.
     *
     * @param tensor number among the tensors of the arguments, in order
     */
    record Place(int tensor, int dimension, int symbol, long factor, long sum) {}

    private final List<Place> places;
    /** Of each number that elements decide, in the order of a run, its symbol. */
    private final List<Integer> unbacked;

    private OpenSizes(List<Place> places, List<Integer> unbacked) {
        this.places = List.copyOf(places);
        this.unbacked = List.copyOf(unbacked);
    }

    /**
     * Each open size by itself.
     *
     * @param shapes one a tensor of the arguments, open where a size is not positive
     */
    public static OpenSizes of(List<int[]> shapes) {
        List<Place> places = new ArrayList<>();
        for (int i = 0; i < shapes.size(); i++) {
            for (int d = 0; d < shapes.get(i).length; d++) {
                if (shapes.get(i)[d] <= 0) {
                    places.add(new Place(i, d, places.size(), 1, 0));
                }
            }
        }
        return new OpenSizes(places, List.of());
    }

    /** Those that the file of a method leaves open. */
    public static OpenSizes declared(DeclaredInputs inputs) {
        Map<String, Integer> symbols = new LinkedHashMap<>();
        List<Place> places = new ArrayList<>();
        for (int i = 0; i < inputs.tensors().size(); i++) {
            DeclaredInputs.OpenSize[] open = inputs.tensors().get(i).open();
            for (int d = 0; d < open.length; d++) {
                if (open[d] != null) {
                    Integer known = symbols.putIfAbsent(open[d].symbol(), symbols.size());
                    int symbol = known == null ? symbols.size() - 1 : known;
                    places.add(new Place(i, d, symbol, open[d].factor(), open[d].sum()));
                }
            }
        }
        return new OpenSizes(places, List.of());
    }

    public boolean isEmpty() {
        return symbols() == 0;
    }

    /** These, and so many numbers that elements decide, each by itself. */
    OpenSizes withUnbacked(int count) {
        List<Integer> symbols = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            symbols.add(backed() + i);
        }
        return new OpenSizes(places, symbols);
    }

    /** Of each number that elements decide, in the order of a run, its symbol. */
    List<Integer> unbacked() {
        return unbacked;
    }

    List<Place> places() {
        return places;
    }

    /** How many symbols are read of the arguments; theirs are the lowest numbers. */
    int backed() {
        return places.stream().mapToInt(Place::symbol).max().orElse(-1) + 1;
    }

    int symbols() {
        return Math.max(
                backed(), unbacked.stream().mapToInt(Integer::intValue).max().orElse(-1) + 1);
    }

    /** Where one of the {@link #backed} symbols is read. */
    Place place(int symbol) {
        return places.stream()
                .filter(place -> place.symbol() == symbol)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException("symbol: " + symbol + " (expected: one of a size)"));
    }

    /** One of a tensor's sizes, or null where it is fixed. */
    Place at(int tensor, int dimension) {
        return places.stream()
                .filter(place -> place.tensor() == tensor && place.dimension() == dimension)
                .findFirst()
                .orElse(null);
    }

    /**
     * The symbols' values for arguments.
     *
     * @param found numbers that elements decide, in the order of the run
     * @throws IllegalArgumentException if a tensor is missing, has other dimensions, or sizes that do not go together
     */
    long[] values(List<?> arguments, long... found) {
        List<Tensor> tensors = tensors(arguments);
        long[] values = new long[symbols()];
        for (int i = 0; i < unbacked.size(); i++) {
            values[unbacked.get(i)] = found[i];
        }
        for (Place place : places) {
            if (place.tensor() >= tensors.size()
                    || place.dimension() >= tensors.get(place.tensor()).rank()) {
                throw new IllegalArgumentException("example: " + arguments + " (expected: a tensor of at least "
                        + (place.dimension() + 1) + " dimensions as number " + place.tensor() + ", whose size "
                        + place.dimension() + " is left open)");
            }
            values[place.symbol()] =
                    (tensors.get(place.tensor()).size(place.dimension()) - place.sum()) / place.factor();
        }
        for (Place place : places) {
            long size = tensors.get(place.tensor()).size(place.dimension());
            if (size != place.factor() * values[place.symbol()] + place.sum()) {
                throw new IllegalArgumentException("example: size " + size + " in dimension " + place.dimension()
                        + " of tensor " + place.tensor() + " (expected: "
                        + (place.factor() * values[place.symbol()] + place.sum()) + ", as the other sizes say)");
            }
        }
        return values;
    }

    /** How many tensors there are among arguments. */
    public static int count(List<?> arguments) {
        return tensors(arguments).size();
    }

    private static List<Tensor> tensors(List<?> arguments) {
        List<Tensor> tensors = new ArrayList<>();
        for (Object argument : arguments) {
            TreeSpec.leaves("", argument, (path, leaf) -> {
                if (leaf instanceof Tensor tensor) {
                    tensors.add(tensor);
                }
            });
        }
        return tensors;
    }

    /**
     * A symbol goes together with those others that are as great in the example, of its own kind if there are such;
     * null where there are none.
     */
    OpenSizes tied(int symbol, long... values) {
        boolean isBacked = symbol < backed();
        OpenSizes alike = tied(symbol, isBacked ? 0 : backed(), isBacked ? backed() : values.length, values);
        return alike == null ? tied(symbol, 0, values.length, values) : alike;
    }

    /** @param from the first symbol of those that may be joined, {@code to} is behind the last */
    private OpenSizes tied(int symbol, int from, int to, long... values) {
        int[] joined = IntStream.range(0, values.length).toArray();
        int first = IntStream.range(from, to)
                .filter(k -> values[k] == values[symbol])
                .findFirst()
                .orElse(symbol);
        for (int k = from; k < to; k++) {
            joined[k] = values[k] == values[symbol] ? first : k;
        }
        int[] left = Arrays.stream(joined).distinct().sorted().toArray();
        if (left.length == joined.length) {
            return null;
        }
        List<Place> tied = new ArrayList<>();
        for (Place place : places) {
            int now = Arrays.binarySearch(left, joined[place.symbol()]);
            tied.add(new Place(place.tensor(), place.dimension(), now, place.factor(), place.sum()));
        }
        List<Integer> numbers = new ArrayList<>();
        unbacked.forEach(k -> numbers.add(Arrays.binarySearch(left, joined[k])));
        return new OpenSizes(tied, numbers);
    }

    /** The numbers that elements decide, in the order of a run, for values of the symbols. */
    long[] found(long... values) {
        return unbacked.stream().mapToLong(symbol -> values[symbol]).toArray();
    }

    /** Arguments as an example's, of other sizes: elements of the example again and again. */
    List<Object> resized(List<?> example, long... values) {
        int[] number = {0};
        List<Object> resized = new ArrayList<>();
        for (Object argument : example) {
            resized.add(ProgramGraph.mapped(argument, tensor -> resized(tensor, number[0]++, values)));
        }
        return resized;
    }

    private Tensor resized(Tensor tensor, int number, long... values) {
        Operator pick = OperatorCalls.operator("aten::index_select");
        Tensor made = tensor;
        for (int d = 0; d < tensor.rank(); d++) {
            Place place = at(number, d);
            if (place != null) {
                long[] picked = new long[Math.toIntExact(place.factor() * values[place.symbol()] + place.sum())];
                int size = Math.max(1, made.size(d));
                Arrays.setAll(picked, i -> i % size);
                made = (Tensor) pick.kernel().call(new Object[] {made, (long) d, Tensor.of(picked, picked.length)});
            }
        }
        return made;
    }
}
