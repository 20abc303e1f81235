package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.torchnnapi.converter.check.ExampleInputs;
import org.torchnnapi.converter.emit.OpenShapes;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;

/**
 * A model's inputs some of whose sizes are left open, and examples of them. Immutable.
 *
 * @param specs one an argument, all of which are tensors
 * @param example arguments whose elements are taken for those of any size; null where elements are made
 * @param kind what is made
 * @param open the open sizes; in each item those that have to be equal
 */
record DynamicInputs(
        List<InputSpec> specs, List<Tensor> example, ExampleInputs.Kind kind, List<List<OpenShapes.OpenSize>> open) {
    private static final float LESSENED = 32;
    private static final Operator PICK = OperatorRegistry.standard().find("aten::index_select");

    /** @throws IllegalArgumentException if an example has other dimensions than its argument */
    DynamicInputs {
        specs = List.copyOf(specs);
        open = List.copyOf(open);
        for (int i = 0; example != null && i < specs.size(); i++) {
            if (i >= example.size() || example.get(i).rank() != specs.get(i).shape().length) {
                throw new IllegalArgumentException(
                        "example: " + (i < example.size() ? example.get(i) : "none") + " for argument " + i
                                + " (expected: " + specs.get(i).shape().length + " dimensions, as the input says)");
            }
        }
    }

    /** Each open size is one by itself. */
    static DynamicInputs apart(List<InputSpec> specs, List<Tensor> example, ExampleInputs.Kind kind) {
        return new DynamicInputs(
                specs, example, kind, places(specs).stream().map(List::of).collect(Streams.toList()));
    }

    /** Open sizes of the same dimension, counted from the first or the last one, are equal in all arguments. */
    DynamicInputs tied(boolean fromLast) {
        return tied(place ->
                place.dimension() - (fromLast ? specs.get(place.argument()).shape().length : 0));
    }

    /**
     * Open sizes that are equal in the example are equal: those of two sets of points, say, each of which comes in
     * several arguments. These where there is no example.
     */
    DynamicInputs tiedAsInExample() {
        return example == null ? this : tied(this::exampleSize);
    }

    /** All open sizes but batches are equal, as those of square pictures. */
    DynamicInputs tiedButBatches() {
        return tied(place -> isBatch(place) ? -1 - place.argument() : 0);
    }

    /** One of the open sizes is by itself, as the last of {@link #open}. */
    DynamicInputs without(OpenShapes.OpenSize place) {
        List<List<OpenShapes.OpenSize>> groups = new ArrayList<>();
        for (List<OpenShapes.OpenSize> group : open) {
            groups.add(group.stream().filter(other -> !other.equals(place)).collect(Streams.toList()));
        }
        groups.add(List.of(place));
        return new DynamicInputs(specs, example, kind, groups);
    }

    private DynamicInputs tied(ToLongFunction<OpenShapes.OpenSize> key) {
        List<List<OpenShapes.OpenSize>> groups = new ArrayList<>();
        List<Long> keys = new ArrayList<>();
        for (OpenShapes.OpenSize place : places(specs)) {
            int at = keys.indexOf(key.applyAsLong(place));
            if (at < 0) {
                keys.add(key.applyAsLong(place));
                groups.add(new ArrayList<>());
                at = groups.size() - 1;
            }
            groups.get(at).add(place);
        }
        return new DynamicInputs(specs, example, kind, groups);
    }

    private static List<OpenShapes.OpenSize> places(List<InputSpec> specs) {
        List<OpenShapes.OpenSize> places = new ArrayList<>();
        for (int i = 0; i < specs.size(); i++) {
            int[] shape = specs.get(i).shape();
            for (int d = 0; d < shape.length; d++) {
                if (shape[d] <= 0) {
                    places.add(new OpenShapes.OpenSize(i, d));
                }
            }
        }
        return places;
    }

    /** Whether the first call decides for all. */
    boolean isSetAtLoad() {
        return specs.stream().flatMapToInt(spec -> Arrays.stream(spec.shape())).noneMatch(size -> size < 0);
    }

    /** Where each number of {@link #at}'s sizes is read. */
    List<OpenShapes.OpenSize> readAt() {
        return open.stream().map(group -> group.get(0)).collect(Streams.toList());
    }

    boolean isBatch(int number) {
        return isBatch(open.get(number).get(0));
    }

    private boolean isBatch(OpenShapes.OpenSize place) {
        return place.dimension() == 0 && specs.get(place.argument()).shape().length > 1;
    }

    /** Whether whole numbers are given, such as tokens. */
    boolean isOfNumbers(int number) {
        return specs.get(open.get(number).get(0).argument()).dtype().isIntegral();
    }

    /** The example's size; 0 where there is no example. */
    long exampleSize(int number) {
        return example == null ? 0 : exampleSize(open.get(number).get(0));
    }

    private long exampleSize(OpenShapes.OpenSize place) {
        return example.get(place.argument()).size(place.dimension());
    }

    /** Whether sizes that have to be equal are not in the example. */
    boolean differsFromExample() {
        return example != null
                && open.stream()
                        .anyMatch(group ->
                                group.stream().map(this::exampleSize).distinct().count() > 1);
    }

    /** Arguments of these sizes, one an item of {@link #open}. */
    List<Tensor> at(long... sizes) {
        List<InputSpec> fixed = specs(sizes);
        if (example == null) {
            return ExampleInputs.of(fixed, kind);
        }
        return IntStream.range(0, fixed.size())
                .mapToObj(i -> repeated(example.get(i), fixed.get(i).shape()))
                .collect(Collectors.toList());
    }

    /** How many elements {@link #at}'s tensors have together. */
    long elements(long... sizes) {
        double all = 0;
        for (long[] shape : shapes(sizes)) {
            all += Arrays.stream(shape).asDoubleStream().reduce(1, (a, b) -> a * b);
        }
        return (long) all;
    }

    private List<long[]> shapes(long... sizes) {
        List<long[]> shapes = specs.stream()
                .map(spec -> Arrays.stream(spec.shape()).asLongStream().toArray())
                .collect(Collectors.toList());
        for (int k = 0; k < sizes.length; k++) {
            for (OpenShapes.OpenSize place : open.get(k)) {
                shapes.get(place.argument())[place.dimension()] = sizes[k];
            }
        }
        return shapes;
    }

    private List<InputSpec> specs(long... sizes) {
        List<InputSpec> fixed = new ArrayList<>();
        for (long[] shape : shapes(sizes)) {
            InputSpec spec = specs.get(fixed.size());
            int[] known = Arrays.stream(shape).mapToInt(Math::toIntExact).toArray();
            fixed.add(new InputSpec(spec.dtype(), known, spec.channelsLast(), spec.scale(), spec.zeroPoint()));
        }
        return fixed;
    }

    /**
     * The tensor's elements again and again, and of each dimension as many as wanted. Real numbers become smaller from
     * one time to the next: the greatest of them would be there several times, and which one is found first would hang
     * on rounding.
     */
    private static Tensor repeated(Tensor tensor, int... sizes) {
        Tensor made = tensor;
        for (int d = 0; d < sizes.length; d++) {
            long[] places = new long[sizes[d]];
            int size = made.size(d);
            Arrays.setAll(places, i -> i % size);
            made = sizes[d] == size
                    ? made
                    : (Tensor) PICK.kernel().call(new Object[] {made, (long) d, Tensor.of(places, places.length)});
            if (sizes[d] > size && made.dtype() == DType.FLOAT32) {
                made = lessened(made.copy(MemoryFormat.CONTIGUOUS), d, size);
            }
        }
        return made.copy(MemoryFormat.CONTIGUOUS);
    }

    private static Tensor lessened(Tensor dense, int dimension, int period) {
        float[] elements = dense.storage().floatArray();
        int inner = 1;
        for (int d = dimension + 1; d < dense.rank(); d++) {
            inner *= dense.size(d);
        }
        for (int i = 0; i < elements.length; i++) {
            elements[i] /= 1 + i / inner % dense.size(dimension) / period / LESSENED;
        }
        return dense;
    }

    /** Sizes in words, such as {@code 2x3x64x96}, arguments behind one another. */
    String text(long... sizes) {
        return specs(sizes).stream()
                .map(spec -> spec.dtype().torchName() + Arrays.toString(spec.shape()))
                .collect(Collectors.joining(", "));
    }

    /** A number of {@link #at}'s sizes in words. */
    String name(int number) {
        return open.get(number).stream()
                .map(place -> "dimension " + place.dimension() + " of argument " + place.argument())
                .collect(Collectors.joining(" and "));
    }
}
