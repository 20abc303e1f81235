package org.torchnnapi.operators;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.FunctionSchema.Argument;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.TorchDevice;

/** Random arguments for operators, by their schemas: some that they take and some that they refuse. */
final class AxisCalls {
    private static final DType[] TYPES = {
        DType.FLOAT32, DType.FLOAT32, DType.FLOAT32, DType.FLOAT64, DType.INT64, DType.INT32, DType.UINT8, DType.BOOL
    };

    private final FunctionSchema schema;
    private final Random random;
    private final int[] sizes;
    private final DType dtype;
    private final List<Object> made = new ArrayList<>();

    private AxisCalls(FunctionSchema schema, Random random, int... sizes) {
        this.schema = schema;
        this.random = random;
        this.sizes = sizes;
        this.dtype = TYPES[random.nextInt(TYPES.length)];
    }

    /** Null where an argument is of a type that has no random values here. */
    static Object[] arguments(FunctionSchema schema, Random random) {
        int[] sizes = new int[random.nextInt(5)];
        Arrays.setAll(sizes, d -> random.nextInt(6) == 0 ? 1 : 1 + random.nextInt(4));
        return new AxisCalls(schema, random, sizes).all();
    }

    /** The same for equal seeds but for the number of rows, the first size of what is no weight. */
    static Object[] rows(FunctionSchema schema, Random random, int rows) {
        int[] sizes = new int[1 + random.nextInt(4)];
        Arrays.setAll(sizes, d -> d == 0 ? rows : 2 + random.nextInt(3));
        return new AxisCalls(schema, random, sizes).all();
    }

    static int[] order(int size, Random random) {
        List<Integer> order = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            order.add(random.nextInt(i + 1), i);
        }
        return order.stream().mapToInt(i -> i).toArray();
    }

    private Object[] all() {
        for (Argument argument : schema.arguments()) {
            Object value;
            try {
                value = value(argument);
            } catch (UnsupportedOperationException e) {
                return null;
            }
            made.add(value);
        }
        return made.toArray();
    }

    private Object value(Argument argument) {
        Type type = argument.type();
        boolean optional = type instanceof Type.OptionalType;
        boolean named = List.of("dim", "dims", "keepdim", "k", "size", "weight", "bias", "min", "max")
                .contains(argument.name());
        if (argument.hasDefault()
                && (!named || random.nextInt(3) == 0)
                && !(argument.name().equals("groups") && random.nextBoolean())) {
            return argument.defaultValue();
        }
        if (optional && random.nextInt(4) == 0) {
            return null;
        }
        if (optional) {
            type = ((Type.OptionalType) type).element();
        }
        if (type == Type.Basic.TENSOR) {
            return tensor(argument.name());
        }
        if (type == Type.Basic.BOOL) {
            return random.nextBoolean() && !argument.name().equals("training");
        }
        if (type == Type.Basic.STRING) {
            return "valid";
        }
        if (type == Type.Basic.DEVICE) {
            return TorchDevice.CPU;
        }
        if (type == Type.Basic.FLOAT) {
            return 0.5 + random.nextInt(3);
        }
        if (type == Type.Basic.NUMBER) {
            return random.nextBoolean() ? (Object) (1L + random.nextInt(3)) : (Object) 1.5;
        }
        if (type == Type.Basic.INT) {
            return integer(argument.name());
        }
        if (type instanceof Type.ListType list) {
            return list(argument.name(), list.element());
        }
        if (optional) {
            return null;
        }
        throw new UnsupportedOperationException(type.text());
    }

    private int rank() {
        return Math.max(1, sizes.length);
    }

    private long integer(String name) {
        return switch (name) {
            case "dim",
                    "dim0",
                    "dim1",
                    "axis0",
                    "axis1",
                    "source",
                    "destination",
                    "dimension",
                    "start_dim",
                    "end_dim" -> random.nextInt(2 * rank()) - rank();
            case "dtype" -> random.nextBoolean() ? 6 : 4;
            case "groups", "pooled_height", "pooled_width", "length", "step" -> 1 + random.nextInt(2);
            default -> random.nextInt(3);
        };
    }

    private ScriptList list(String name, Type element) {
        if (element == Type.Basic.TENSOR || element.equals(Type.optional(Type.Basic.TENSOR))) {
            return tensors(name, element);
        }
        if (element != Type.Basic.INT) {
            throw new UnsupportedOperationException(element.text());
        }
        List<Object> items = new ArrayList<>();
        int spatial = spatial();
        int[] dims = order(rank(), random);
        int most = OperatorTrait.CONVOLVES.of(schema)
                ? spatial
                : name.equals("dims") && schema.name().contains("permute") ? rank() : random.nextInt(rank() + 1);
        switch (name) {
            case "size", "shape", "sizes" -> sizes(items);
            case "normalized_shape" ->
                Arrays.stream(sizes).skip(Math.max(0, sizes.length - 1)).forEach(size -> items.add((long) size));
            case "stride", "dilation" -> {
                for (int i = 0; i < spatial; i++) {
                    items.add(1L + random.nextInt(2));
                }
            }
            case "padding", "output_padding" -> {
                for (int i = 0; i < spatial; i++) {
                    items.add((long) (name.equals("padding") ? random.nextInt(2) : 0));
                }
            }
            default -> {
                for (int i = 0; i < most; i++) {
                    items.add((long) (random.nextBoolean() ? dims[i] : dims[i] - rank()));
                }
            }
        }
        return new ScriptList(Type.Basic.INT, items);
    }

    /** Sizes to view the first tensor under, or to expand it to. */
    private void sizes(List<Object> items) {
        int way = random.nextInt(4);
        int from = sizes.length == 0 ? 0 : random.nextInt(sizes.length);
        boolean expands = schema.name().contains("expand");
        for (int d = 0; d < sizes.length; d++) {
            if (expands) {
                items.add(sizes[d] == 1 ? 3L : random.nextBoolean() ? -1L : (long) sizes[d]);
            } else if (way == 0 && d == from) {
                items.add(1L);
                items.add((long) sizes[d]);
            } else if (way == 1 && d > 0 && d == from) {
                items.set(items.size() - 1, (Long) items.get(items.size() - 1) * sizes[d]);
            } else if (way == 2 && d == from) {
                items.add(-1L);
            } else {
                items.add((long) sizes[d]);
            }
        }
        if (expands && random.nextBoolean()) {
            items.add(0, 2L);
        }
    }

    private int spatial() {
        for (int d = 1; d <= 3; d++) {
            if (schema.name().endsWith(d + "d")) {
                return d;
            }
        }
        return Math.max(1, sizes.length - 2);
    }

    private ScriptList tensors(String name, Type element) {
        List<Object> items = new ArrayList<>();
        int count = 1 + random.nextInt(3);
        boolean places = name.equals("indices");
        int[] shape = new int[random.nextInt(3)];
        Arrays.setAll(shape, d -> 1 + random.nextInt(3));
        for (int i = 0; i < count; i++) {
            if (places) {
                boolean none = !(element instanceof Type.OptionalType) ? false : random.nextInt(3) == 0;
                items.add(none ? null : strided(DType.INT64, 1, shape));
            } else {
                int[] own = sizes.clone();
                if (own.length > 0
                        && random.nextBoolean()
                        && made.isEmpty()
                        && schema.arguments().size() == 2) {
                    own[own.length - 1] = 1 + random.nextInt(3);
                }
                items.add(strided(dtype, 3, own));
            }
        }
        return new ScriptList(element, items);
    }

    private Tensor tensor(String name) {
        Tensor first = made.isEmpty() || !(made.get(0) instanceof Tensor tensor) ? null : tensor;
        if (OperatorTrait.POOLS_REGIONS.of(schema)) {
            return first == null ? strided(DType.FLOAT32, 3, 2, 3, 5, 4) : strided(DType.FLOAT32, 1, 3, 5);
        }
        if (OperatorTrait.CONVOLVES.of(schema)) {
            return convolution(name);
        }
        if (first == null) {
            int[] own = sizes;
            if (OperatorTrait.LOOKS_UP.of(schema) && name.equals("weight")) {
                own = new int[] {4, 3};
            }
            return strided(dtype, 3, own);
        }
        if (name.equals("index") || name.equals("indices")) {
            int[] places = OperatorTrait.LOOKS_UP.of(schema) && name.equals("indices")
                    ? sizes
                    : new int[] {1 + random.nextInt(3)};
            return strided(DType.INT64, 1, places);
        }
        if (OperatorTrait.MULTIPLIES_MATRICES.of(schema) || schema.name().contains("mm")) {
            return factor(name);
        }
        if (OperatorTrait.CHANNELWISE.of(schema)) {
            return strided(dtype, 3, sizes.length > 1 ? sizes[1] : 1);
        }
        if (schema.name().contains("norm")) {
            return strided(dtype, 3, sizes.length == 0 ? 1 : sizes[sizes.length - 1]);
        }
        int[] own = sizes.clone();
        for (int d = 0; d < own.length; d++) {
            own[d] = random.nextInt(4) == 0 ? 1 : own[d];
        }
        int skipped = own.length > 0 && random.nextInt(4) == 0 ? 1 : 0;
        boolean whole = OperatorTrait.VIEW.of(schema) || OperatorTrait.KEEPS_ORDER.of(schema);
        return strided(
                random.nextInt(3) == 0 ? TYPES[random.nextInt(TYPES.length)] : dtype,
                3,
                whole ? sizes : Arrays.copyOfRange(own, skipped, own.length));
    }

    private Tensor factor(String name) {
        int inner = sizes.length == 0 ? 1 : sizes[sizes.length - 1];
        if (name.equals("weight")) {
            return strided(dtype, 3, random.nextInt(4) == 0 ? new int[] {inner} : new int[] {2, inner});
        }
        if (name.equals("bias")) {
            return strided(
                    dtype, 3, made.get(1) instanceof Tensor weight && weight.rank() == 1 ? new int[0] : new int[] {2});
        }
        int rank = schema.name().endsWith("matmul") ? 1 + random.nextInt(4) : sizes.length;
        int[] own = new int[Math.max(1, rank)];
        for (int d = 0; d < own.length; d++) {
            int from = sizes.length - own.length + d;
            own[d] = d == own.length - 1
                    ? own.length == 1 ? inner : 2
                    : d == own.length - 2 ? inner : from >= 0 && random.nextInt(3) > 0 ? sizes[from] : 1;
        }
        return strided(dtype, 3, own);
    }

    private Tensor convolution(String name) {
        int spatial = spatial();
        int[] own = new int[spatial + 2];
        if (name.equals("bias")) {
            return strided(DType.FLOAT32, 3, 2);
        }
        boolean weight = name.equals("weight");
        Arrays.fill(own, weight ? 2 : 5);
        own[0] = 2;
        own[1] = weight && random.nextInt(4) == 0 ? 1 : 2;
        return strided(
                DType.FLOAT32, 3, !weight && random.nextInt(3) == 0 ? Arrays.copyOfRange(own, 1, own.length) : own);
    }

    /** Whole numbers from 0 to {@code most}, in memory in a random order of dimensions, or with others between them. */
    private Tensor strided(DType type, int most, int... shape) {
        int[] order = order(shape.length, random);
        int[] stored = new int[shape.length];
        int[] back = new int[shape.length];
        for (int d = 0; d < shape.length; d++) {
            stored[d] = shape[order[d]];
            back[order[d]] = d;
        }
        boolean gaps = random.nextInt(3) == 0 && shape.length > 0;
        if (gaps) {
            stored[shape.length - 1] *= 2;
        }
        double[] values = new double[Arrays.stream(stored).reduce(1, (a, b) -> a * b)];
        Random elements = new Random(random.nextLong());
        Arrays.setAll(values, i -> elements.nextInt(most + 1));
        Tensor all = Elements.ofDoubles(type, values, stored);
        if (gaps) {
            int[] strides = all.strides().clone();
            stored[shape.length - 1] /= 2;
            strides[shape.length - 1] *= 2;
            all = all.asStrided(stored, strides, 0);
        }
        return all.permute(back);
    }
}
