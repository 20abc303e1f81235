package org.torchnnapi.operators;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.torchnnapi.operators.AxisMap.Axis;
import org.torchnnapi.operators.AxisMap.Operand;
import org.torchnnapi.operators.AxisMap.Role;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;

/** The {@link AxisMap} of a call, by the traits of its operator. */
final class AxisRules {
    /** Between strides, so that none is a multiple of another one. */
    private static final int GAP = 7;

    private final Operator operator;
    private final FunctionSchema schema;
    private final Object[] arguments;
    private final List<Operand> operands = new ArrayList<>();

    private AxisRules(Operator operator, Object... arguments) {
        this.operator = operator;
        this.schema = operator.schema();
        this.arguments = arguments;
    }

    /** Null where no trait tells, or where the arguments are not as the rule has them. */
    static AxisMap of(Operator operator, Object... arguments) {
        FunctionSchema schema = operator.schema();
        if (schema.isMutating()
                || OperatorTrait.RANDOM.of(schema)
                || OperatorTrait.READS_MEMORY.of(schema)
                || schema.returns().isEmpty()
                || schema.returns().stream().anyMatch(r -> r.type() != Type.Basic.TENSOR)) {
            return null;
        }
        try {
            AxisRules rules = new AxisRules(operator, arguments);
            int[] sizes = rules.sizes();
            return sizes == null ? null : new AxisMap(sizes, rules.operands);
        } catch (RuntimeException unfit) {
            return null;
        }
    }

    private boolean has(OperatorTrait trait) {
        return trait.of(schema);
    }

    /** The results' sizes; what they are made of goes to the operands. */
    private int[] sizes() {
        if (trains() && !has(OperatorTrait.CHANNELWISE)) {
            return null;
        }
        if (has(OperatorTrait.FILLS)) {
            return Shape.toInts(((ScriptList) named("size")).toLongs());
        }
        if (has(OperatorTrait.JOINS)) {
            return joined();
        }
        if (has(OperatorTrait.ELEMENTWISE)) {
            return broadcast();
        }
        if (!(arguments[0] instanceof Tensor self)) {
            return null;
        }
        if (has(OperatorTrait.SAME_PLACES)) {
            return same(self);
        }
        if (has(OperatorTrait.CHANNELWISE)) {
            return channels(self);
        }
        if (has(OperatorTrait.REDUCES)) {
            return reduced(self);
        }
        if (has(OperatorTrait.MIXES_ALONG)) {
            return mixed(self);
        }
        if (has(OperatorTrait.MULTIPLIES_MATRICES)) {
            return multiplied(self, (Tensor) arguments[1]);
        }
        if (has(OperatorTrait.CONVOLVES)) {
            return convolved(self, (Tensor) arguments[1]);
        }
        if (has(OperatorTrait.POOLS_REGIONS)) {
            return regions(self, (Tensor) arguments[1]);
        }
        if (has(OperatorTrait.LOOKS_UP)) {
            return lookedUp(self);
        }
        return has(OperatorTrait.VIEW) || has(OperatorTrait.KEEPS_ORDER) ? viewed(self) : null;
    }

    /** By its flag, or as it has no statistics of its own. */
    private boolean trains() {
        int flag = Math.max(
                Math.max(schema.indexOf("training"), schema.indexOf("train")), schema.indexOf("use_input_stats"));
        return has(OperatorTrait.TRAINS)
                && (flag < 0
                        || !Boolean.FALSE.equals(arguments[flag])
                        || schema.indexOf("running_mean") >= 0
                                && (named("running_mean") == null || named("running_var") == null));
    }

    private Object named(String argument) {
        int at = schema.indexOf(argument);
        return at < 0 || at >= arguments.length ? null : arguments[at];
    }

    private void operand(int argument, int item, Axis... axes) {
        operands.add(new Operand(argument, item, Arrays.asList(axes)));
    }

    /** Each dimension goes to the one that many further on. */
    private static Axis[] along(int rank, int shift) {
        Axis[] axes = new Axis[rank];
        Arrays.setAll(axes, d -> Axis.follows(d + shift));
        return axes;
    }

    private static Axis[] reduced(int rank) {
        Axis[] axes = new Axis[rank];
        Arrays.fill(axes, Axis.REDUCED);
        return axes;
    }

    /** As a tensor of these sizes broadcasts, its last dimension being the one {@code behind} others from the end. */
    private static Axis[] spread(int[] own, int[] result, int behind) {
        Axis[] axes = new Axis[own.length];
        for (int d = 0; d < own.length; d++) {
            int to = result.length - behind - own.length + d;
            axes[d] = new Axis(own[d] == result[to] ? Role.FOLLOWS : Role.BROADCAST, to);
        }
        return axes;
    }

    private int[] same(Tensor self) {
        operand(0, -1, along(self.rank(), 0));
        return self.sizes();
    }

    private int[] broadcast() {
        int[] sizes = BroadcastShapes.shape(Arrays.stream(arguments)
                .filter(Tensor.class::isInstance)
                .map(argument -> ((Tensor) argument).sizes())
                .toArray(int[][]::new));
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i] instanceof ScriptList list && list.items().stream().anyMatch(Tensor.class::isInstance)) {
                return null;
            }
            if (arguments[i] instanceof Tensor tensor) {
                operand(i, -1, spread(tensor.sizes(), sizes, 0));
            }
        }
        return operands.isEmpty() ? null : sizes;
    }

    /** In training the others are mixed, as statistics are taken over them. */
    private int[] channels(Tensor self) {
        Axis[] axes = along(self.rank(), 0);
        if (trains()) {
            Axis channel = axes[1];
            Arrays.fill(axes, Axis.REDUCED);
            axes[1] = channel;
        }
        operand(0, -1, axes);
        for (int i = 1; i < arguments.length; i++) {
            if (arguments[i] instanceof Tensor parameter) {
                boolean follows = self.rank() > 1 && parameter.rank() == 1 && parameter.size(0) == self.size(1);
                operand(i, -1, follows ? new Axis[] {Axis.follows(1)} : reduced(parameter.rank()));
            }
        }
        return self.sizes();
    }

    private boolean[] dims(String argument, int rank) {
        Object given = named(argument);
        boolean[] chosen = new boolean[rank];
        long[] dims = given instanceof ScriptList list
                ? list.toLongs()
                : given == null ? new long[0] : new long[] {(Long) given};
        for (long dim : dims) {
            int at = Shape.wrap(dim, Math.max(1, rank));
            if (rank > 0) {
                chosen[at] = true;
            }
        }
        if (dims.length == 0) {
            Arrays.fill(chosen, true);
        }
        return chosen;
    }

    private int[] reduced(Tensor self) {
        boolean[] gone = dims("dim", self.rank());
        boolean keeps = Boolean.TRUE.equals(named("keepdim"));
        Axis[] axes = new Axis[self.rank()];
        int[] sizes = new int[self.rank()];
        int rank = 0;
        for (int d = 0; d < axes.length; d++) {
            axes[d] = gone[d] ? Axis.REDUCED : Axis.follows(rank);
            if (keeps || !gone[d]) {
                sizes[rank++] = gone[d] ? 1 : self.size(d);
            }
        }
        operand(0, -1, axes);
        return Arrays.copyOf(sizes, rank);
    }

    private int[] mixed(Tensor self) {
        boolean[] along = dims(schema.indexOf("dims") < 0 ? "dim" : "dims", self.rank());
        Axis[] axes = along(self.rank(), 0);
        int[] sizes = self.sizes().clone();
        for (int d = 0; d < axes.length; d++) {
            if (along[d]) {
                axes[d] = Axis.REDUCED;
                sizes[d] = named("k") instanceof Long k ? Math.toIntExact(k) : sizes[d];
            }
        }
        operand(0, -1, axes);
        return sizes;
    }

    private int[] joined() {
        List<Object> items = ((ScriptList) arguments[0]).items();
        // PyTorch leaves vectors without elements out of what has more dimensions.
        Tensor first = (Tensor) items.get(0);
        int dim = Shape.wrap((Long) arguments[1], first.rank());
        int[] sizes = first.sizes().clone();
        sizes[dim] = 0;
        for (int i = 0; i < items.size(); i++) {
            Tensor item = (Tensor) items.get(i);
            Axis[] axes = along(item.rank(), 0);
            axes[dim] = new Axis(Role.JOINED, dim);
            operand(0, i, axes);
            sizes[dim] = Math.addExact(sizes[dim], item.size(dim));
            int[] own = item.sizes().clone();
            own[dim] = sizes[dim];
            if (!Arrays.equals(own, sizes)) {
                return null;
            }
        }
        return sizes;
    }

    private int[] multiplied(Tensor a, Tensor b) {
        boolean turned = schema.arguments().get(1).name().equals("weight");
        int n = a.rank();
        int m = b.rank();
        if (n == 0 || m == 0 || turned && m > 2) {
            return null;
        }
        int inner = m == 1 ? 0 : turned ? m - 1 : m - 2;
        int outer = m == 1 ? -1 : turned ? m - 2 : m - 1;
        if (a.size(n - 1) != b.size(inner)) {
            return null;
        }
        boolean rows = n > 1;
        // A weight has no batches, and the rows of what it is applied to are in all dimensions but the last.
        int[] left = Arrays.copyOf(a.sizes(), Math.max(0, turned ? n - 1 : n - 2));
        int[] right = turned ? new int[0] : Arrays.copyOf(b.sizes(), Math.max(0, m - 2));
        int[] batches = BroadcastShapes.shape(left, right);
        int behind = (rows && !turned ? 1 : 0) + (outer < 0 ? 0 : 1);
        int[] sizes = Arrays.copyOf(batches, batches.length + behind);
        Axis[] first = reduced(n);
        Axis[] second = reduced(m);
        if (rows && !turned) {
            sizes[batches.length] = a.size(n - 2);
            first[n - 2] = Axis.follows(batches.length);
        }
        if (outer >= 0) {
            sizes[sizes.length - 1] = b.size(outer);
            second[outer] = Axis.follows(sizes.length - 1);
        }
        System.arraycopy(spread(left, sizes, behind), 0, first, 0, left.length);
        System.arraycopy(spread(right, sizes, behind), 0, second, 0, right.length);
        operand(0, -1, first);
        operand(1, -1, second);
        if (named("bias") instanceof Tensor bias) {
            operand(schema.indexOf("bias"), -1, spread(bias.sizes(), sizes, 0));
        }
        return sizes;
    }

    private int[] convolved(Tensor in, Tensor weight) {
        int spatial = weight.rank() - 2;
        int channels = in.rank() - spatial - 1;
        boolean transposed = schema.indexOf("transposed") < 0
                ? schema.indexOf("output_padding") >= 0
                : Boolean.TRUE.equals(named("transposed"));
        int groups = Math.toIntExact((Long) named("groups"));
        if (spatial < 1
                || channels < 0
                || channels > 1
                || in.size(channels) != (transposed ? weight.size(0) : weight.size(1) * (long) groups)) {
            return null;
        }
        int[] sizes = in.sizes().clone();
        sizes[channels] = transposed ? Math.multiplyExact(weight.size(1), groups) : weight.size(0);
        for (int d = 0; d < spatial; d++) {
            long stride = each("stride", d);
            long window = each("dilation", d) * (weight.size(d + 2) - 1L) + 1;
            long size = sizes[channels + 1 + d];
            Object padding = named("padding");
            if (transposed) {
                size = (size - 1) * stride - 2 * each("padding", d) + window + each("output_padding", d);
            } else if (padding instanceof String text) {
                size = text.equals("same") ? size : Math.floorDiv(size - window, stride) + 1;
            } else {
                size = Math.floorDiv(size + 2 * each("padding", d) - window, stride) + 1;
            }
            if (size < 1 || stride < 1) {
                return null;
            }
            sizes[channels + 1 + d] = Math.toIntExact(size);
        }
        Axis[] axes = reduced(in.rank());
        if (channels == 1) {
            axes[0] = Axis.follows(0);
        }
        operand(0, -1, axes);
        Axis[] kernel = reduced(weight.rank());
        Axis made = groups == 1 ? Axis.follows(channels) : Axis.REDUCED;
        kernel[transposed ? 1 : 0] = made;
        operand(1, -1, kernel);
        if (named("bias") instanceof Tensor) {
            operand(schema.indexOf("bias"), -1, made);
        }
        return sizes;
    }

    private long each(String argument, int dimension) {
        Object given = named(argument);
        if (given instanceof Long one) {
            return one;
        }
        long[] values = ((ScriptList) given).toLongs();
        return values.length == 1 ? values[0] : values[dimension];
    }

    private int[] regions(Tensor in, Tensor regions) {
        if (in.rank() != 4 || regions.rank() != 2) {
            return null;
        }
        operand(0, -1, Axis.REDUCED, Axis.follows(1), Axis.REDUCED, Axis.REDUCED);
        operand(1, -1, Axis.follows(0), Axis.REDUCED);
        return new int[] {
            regions.size(0),
            in.size(1),
            Math.toIntExact((Long) named("pooled_height")),
            Math.toIntExact((Long) named("pooled_width"))
        };
    }

    private int[] lookedUp(Tensor self) {
        List<?> places = arguments[1] instanceof ScriptList list
                ? list.items()
                : Collections.singletonList(arguments[schema.indexOf("dim") < 0 ? 1 : 2]);
        boolean listed = arguments[1] instanceof ScriptList;
        int from = 0;
        while (listed && from < places.size() && places.get(from) == null) {
            from++;
        }
        int to = places.size();
        while (to > from && places.get(to - 1) == null) {
            to--;
        }
        if (named("dim") instanceof Long dim) {
            from = Shape.wrap(dim, self.rank());
            to = from + 1;
        }
        List<?> given = listed ? places.subList(from, to) : places;
        if (from == to || self.rank() < to || given.stream().anyMatch(place -> !isPlaces(place))) {
            return null;
        }
        int[] inner = BroadcastShapes.shape(
                given.stream().map(place -> ((Tensor) place).sizes()).toArray(int[][]::new));
        boolean vector = inner.length == 0 && named("dim") != null;
        inner = vector ? new int[] {1} : inner;
        int behind = self.rank() - to;
        int[] sizes = new int[from + inner.length + behind];
        Axis[] axes = reduced(self.rank());
        for (int d = 0; d < self.rank(); d++) {
            if (d < from || d >= to) {
                int at = d < from ? d : d - to + from + inner.length;
                sizes[at] = self.size(d);
                axes[d] = Axis.follows(at);
            }
        }
        System.arraycopy(inner, 0, sizes, from, inner.length);
        operand(0, -1, axes);
        for (int i = 0; i < given.size(); i++) {
            operand(
                    listed ? 1 : schema.indexOf("dim") < 0 ? 1 : 2,
                    listed ? from + i : -1,
                    spread(((Tensor) given.get(i)).sizes(), sizes, behind));
        }
        return sizes;
    }

    private static boolean isPlaces(Object place) {
        return place instanceof Tensor tensor && (tensor.dtype() == DType.INT64 || tensor.dtype() == DType.INT32);
    }

    /**
     * By what the operator makes of strides that tell dimensions apart; where it needs elements beside each other, by
     * their order.
     */
    private int[] viewed(Tensor self) {
        if (has(OperatorTrait.VIEW)) {
            try {
                return strided(self);
            } catch (IllegalArgumentException e) {
                if (!has(OperatorTrait.KEEPS_ORDER)) {
                    throw e;
                }
            }
        }
        Tensor made = called(self, Shape.contiguousStrides(self.sizes()));
        operands.clear();
        Axis[] axes = reduced(self.rank());
        long before = 1;
        int next = 0;
        long passed = 1;
        for (int d = 0; d < axes.length; d++) {
            int to = next;
            long product = passed;
            while (to < made.rank() && product <= before && (product < before || made.size(to) != self.size(d))) {
                product *= made.size(to++);
            }
            if (to < made.rank() && product == before) {
                axes[d] = Axis.follows(to);
                passed = product * made.size(to);
                next = to + 1;
            }
            before *= self.size(d);
        }
        operand(0, -1, axes);
        shaped(made.sizes());
        return made.sizes();
    }

    private int[] strided(Tensor self) {
        int[] strides = new int[self.rank()];
        long stride = GAP;
        for (int d = strides.length - 1; d >= 0; d--) {
            strides[d] = Math.toIntExact(stride);
            stride = stride * Math.max(1, self.size(d)) + GAP;
        }
        Tensor made = called(self, strides);
        Axis[] axes = reduced(self.rank());
        boolean[] used = new boolean[made.rank()];
        for (int d = 0; d < axes.length; d++) {
            for (int to = 0; to < made.rank(); to++) {
                boolean repeated = made.strides()[to] == 0 && self.size(d) == 1 && isSpread(self, made, d, to);
                boolean follows = made.strides()[to] == strides[d] && made.size(to) == self.size(d);
                if (axes[d] == Axis.REDUCED && !used[to] && (follows || repeated)) {
                    axes[d] = new Axis(follows ? Role.FOLLOWS : Role.BROADCAST, to);
                    used[to] = true;
                }
            }
        }
        operand(0, -1, axes);
        shaped(made.sizes());
        return made.sizes();
    }

    /** Whether dimensions broadcast, the last to the last. */
    private static boolean isSpread(Tensor self, Tensor made, int dimension, int to) {
        return made.rank() - to == self.rank() - dimension;
    }

    /** The operator of a tensor without elements. */
    private Tensor called(Tensor self, int... strides) {
        long length = 1;
        for (int d = 0; d < strides.length; d++) {
            length += (long) strides[d] * Math.max(0, self.size(d) - 1);
        }
        Object[] bare = arguments.clone();
        bare[0] = new Tensor(Storage.withoutData(self.dtype(), length), 0, self.sizes(), strides, null);
        return (Tensor) operator.kernel().call(bare);
    }

    /** Another tensor whose sizes the result has: it is reordered with the first. */
    private void shaped(int... sizes) {
        for (int i = 1; i < arguments.length; i++) {
            if (arguments[i] instanceof Tensor other) {
                operand(i, -1, Arrays.equals(other.sizes(), sizes) ? along(other.rank(), 0) : reduced(other.rank()));
            }
        }
    }
}
