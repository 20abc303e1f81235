package org.torchnnapi.converter.lower;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.partial.TensorFacts;
import org.torchnnapi.converter.report.Refused;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Quantization;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.Literals;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * What lowerings know of one segment of the graph: the NNAPI tensors that stand for its values, and accessors that read
 * a node's arguments or refuse the node.
 *
 * <p>A value may be there in several orders of its dimensions; order[i] is the PyTorch dimension that NNAPI's dimension
 * i stands for. A permutation only renames dimensions, and a TRANSPOSE is made where an operation asks for another
 * order. Values of more than four dimensions have neighbouring dimensions made one, in whatever way an operation left
 * them.
 */
public final class LoweringContext {
    /** Order of the dimensions of an image's value. */
    public static final int[] IMAGE = {0, 2, 3, 1};
    /** Order of the dimensions of a volume, as images one after the other. */
    static final int[] VOLUME = {0, 2, 3, 4, 1};

    private final NnapiBuilder nnapi;
    private final PartialEvaluation.Facts facts;
    private final Map<Value, Map<List<Integer>, OperandRef>> forms = new IdentityHashMap<>();
    /** Images made rows, whose elements nobody has asked for in PyTorch's order. */
    private final Map<Value, Value> flattened = new IdentityHashMap<>();

    private final Map<Value, OperandRef> numbers = new IdentityHashMap<>();
    private final Inputs inputs;

    /** @param inputs declares the tensors that come from outside the segment */
    public LoweringContext(PartialEvaluation.Facts facts, Target target, Inputs inputs) {
        this.facts = facts;
        this.nnapi = new NnapiBuilder(target);
        this.inputs = inputs;
    }

    /** The scope of a model that this one refers to. */
    LoweringContext inner(Inputs its) {
        return new LoweringContext(facts, nnapi.target(), its);
    }

    public NnapiBuilder nnapi() {
        return nnapi;
    }

    // Numbers that are computed, as tensors of one element.

    void number(Value value, OperandRef term) {
        numbers.put(value, term);
    }

    /** @throws Refused if the number is neither known nor computed here */
    OperandRef computedNumber(Value value) {
        OperandRef computed = numbers.get(value);
        return computed != null ? computed : Numbers.constant(constant(value), nnapi);
    }

    // What a value is.

    /** @throws Refused if its shape depends on the elements of the inputs */
    public TensorFacts facts(Value value) {
        Tensor constant = constantTensor(value);
        if (constant != null) {
            return TensorFacts.of(constant);
        }
        TensorFacts known = facts.of(value);
        if (known == null) {
            throw new Refused(
                    "shapes must follow from the shapes of the inputs",
                    value.type().text(),
                    "a tensor of known shape");
        }
        if (Arrays.stream(known.shape()).anyMatch(size -> size < 1)) {
            throw new Refused("tensors have elements", known.toString(), "sizes of 1 or more");
        }
        return known;
    }

    /** Whether {@link #facts} are there. */
    boolean isKnown(Value value) {
        TensorFacts known = facts.of(value);
        return known != null && known.count() > 0;
    }

    /**
     * Whether a value is a tensor that is known to have no elements. NNAPI has none, and nothing is computed for them.
     */
    public boolean isEmpty(Value value) {
        TensorFacts known = isConstant(value) ? null : facts.of(value);
        Tensor constant = known == null ? constantTensor(value) : null;
        return known != null && known.count() == 0 || constant != null && constant.numel() == 0;
    }

    /** Whether two values have one shape. */
    public boolean keepsShape(Value a, Value b) {
        TensorFacts x = facts.of(a);
        TensorFacts y = facts.of(b);
        return x != null && y != null && Arrays.equals(x.shape(), y.shape());
    }

    public static int[] identity(int rank) {
        return IntStream.range(0, rank).toArray();
    }

    private static List<Integer> key(int[] order) {
        return Arrays.stream(order).boxed().collect(Streams.toList());
    }

    /** Lets {@code value}, in PyTorch's order, be {@code term}. */
    void define(Value value, OperandRef term) {
        TensorFacts known = facts(value);
        int[] shape = known.shape();
        if (known.rank() > NnapiBuilder.MAX_RANK) {
            require(term.count() == known.count(), value, term, known);
        } else {
            require(Arrays.equals(term.dims(), boxed(shape)), value, term, known);
        }
        put(value, term, identity(known.rank()));
    }

    /** Lets {@code value}, in PyTorch's order, be the elements of {@code made} in its sizes. */
    void shaped(Value value, OperandRef made) {
        define(value, nnapi().reshape(made, Shapes.dims(facts(value).shape())));
    }

    /** The same in the given order of its dimensions. */
    void shaped(Value value, OperandRef made, int... order) {
        int[] sizes = Arrays.stream(order).map(facts(value)::size).toArray();
        define(value, nnapi().reshape(made, Shapes.dims(sizes)), order);
    }

    /**
     * Lets {@code value}, in the given order of its dimensions, be {@code term}; a number, which has none, is a vector
     * of one element.
     */
    void define(Value value, OperandRef term, int... order) {
        TensorFacts known = facts(value);
        if (known.rank() == 0 && order.length == 0) {
            define(value, term);
            return;
        }
        boolean many = known.rank() > NnapiBuilder.MAX_RANK;
        boolean fits =
                order.length == known.rank() && (many ? term.count() == known.count() : term.rank() == order.length);
        for (int i = 0; fits && !many && i < order.length; i++) {
            fits = term.dims()[i] == known.size(order[i]);
        }
        require(fits, value, term, known);
        put(value, term, order);
    }

    /**
     * Lets {@code value}, which was defined, be {@code term} in the given order of its dimensions, and nothing else.
     */
    void redefine(Value value, OperandRef term, int... order) {
        forms.remove(value);
        flattened.remove(value);
        define(value, term, order);
    }

    /** Whether a value was computed here. */
    boolean isLowered(Value value) {
        return forms.containsKey(value);
    }

    private static void require(boolean fits, Value value, OperandRef term, TensorFacts known) {
        if (!fits) {
            throw new Refused(
                    "the operation's result must have PyTorch's shape",
                    term + " for " + value,
                    known.toString(),
                    "please report this model");
        }
    }

    private void put(Value value, OperandRef term, int[] order) {
        forms.computeIfAbsent(value, v -> new LinkedHashMap<>()).put(key(order), term);
    }

    /**
     * Lets {@code value} be there in every form of {@code other}, whose dimension {@code from[d]} is its dimension d.
     */
    void rename(Value value, Value other, int... from) {
        int[] to = new int[from.length];
        for (int d = 0; d < from.length; d++) {
            to[from[d]] = d;
        }
        Map<List<Integer>, OperandRef> there = forms(other);
        Map<List<Integer>, OperandRef> renamed = new LinkedHashMap<>();
        there.forEach(
                (order, term) -> renamed.put(order.stream().map(d -> to[d]).collect(Streams.toList()), term));
        forms.put(value, renamed);
    }

    void alias(Value value, Value other) {
        if (flattened.containsKey(other)) {
            flattened.put(value, flattened.get(other));
        } else {
            forms.put(value, forms(other));
        }
    }

    /**
     * Lets {@code value} be the rows that an image's elements make, one a batch; they are put in PyTorch's order when
     * that is asked for.
     */
    void flatten(Value value, Value image) {
        flattened.put(value, image);
    }

    /** The image whose elements the rows of {@code value} are, as N, H, W, C; null if it is no flattened image. */
    OperandRef flattenedImage(Value value) {
        Value image = flattened.get(value);
        return image == null ? null : in(image, IMAGE);
    }

    private Map<List<Integer>, OperandRef> forms(Value value) {
        Map<List<Integer>, OperandRef> there = forms.get(value);
        if (there == null) {
            Tensor constant = constantTensor(value);
            if (constant != null) {
                there = new LinkedHashMap<>();
                there.put(key(identity(constant.rank())), nnapi.constant(constant));
            } else if (flattened.containsKey(value)) {
                there = new LinkedHashMap<>();
                there.put(
                        key(identity(2)),
                        nnapi.reshape(
                                plain(flattened.remove(value)), facts(value).shape()));
            } else {
                there = new LinkedHashMap<>();
                TensorFacts known = facts(value);
                inputs.declare(value, known, nnapi, there);
            }
            forms.put(value, there);
        }
        return there;
    }

    /** Sizes of 1 where PyTorch has none: NNAPI's tensors have a dimension at least. */
    public static int[] boxed(int[] shape) {
        return shape.length == 0 ? new int[] {1} : shape;
    }

    // Tensors.

    boolean isConstant(Value value) {
        return constantTensor(value) != null || Literals.of(value).isPresent();
    }

    private static Tensor constantTensor(Value value) {
        return Literals.of(value)
                .map(Literals.Literal::value)
                .filter(Tensor.class::isInstance)
                .map(Tensor.class::cast)
                .orElse(null);
    }

    /** The value in PyTorch's order; those of more than four dimensions as any four of them. */
    public OperandRef plain(Value value) {
        return in(value, identity(facts(value).rank()));
    }

    /** The value in the given order of its dimensions. */
    public OperandRef in(Value value, int... order) {
        Map<List<Integer>, OperandRef> there = forms(value);
        List<Integer> wanted = key(order);
        OperandRef known = there.get(wanted);
        if (known != null) {
            return known;
        }
        Tensor constant = constantTensor(value);
        OperandRef made;
        if (constant != null) {
            made = nnapi.constant(constant, order);
        } else {
            Map.Entry<List<Integer>, OperandRef> from =
                    there.entrySet().iterator().next();
            int[] moves = new int[order.length];
            for (int i = 0; i < order.length; i++) {
                moves[i] = from.getKey().indexOf(order[i]);
            }
            made = order.length <= NnapiBuilder.MAX_RANK
                    ? nnapi.transpose(from.getValue(), moves)
                    : Shapes.moved(
                            nnapi,
                            from.getValue(),
                            from.getKey().stream().mapToInt(facts(value)::size).toArray(),
                            moves);
        }
        there.put(wanted, made);
        return made;
    }

    /** The elements in PyTorch's order under other dimensions. */
    OperandRef as(Value value, int... dims) {
        return nnapi.reshape(plain(value), dims);
    }

    /**
     * The value in the given order of its dimensions, as those before {@code first}, those from it to {@code last}, and
     * those behind.
     */
    OperandRef around(Value value, int[] order, int first, int last) {
        TensorFacts known = facts(value);
        return nnapi.reshape(
                in(value, order),
                count(known, order, 0, first),
                count(known, order, first, last + 1),
                count(known, order, last + 1, order.length));
    }

    private static int count(TensorFacts known, int[] order, int from, int to) {
        return Arrays.stream(order, from, to).map(known::size).reduce(1, Math::multiplyExact);
    }

    /** Where an order has a dimension; -1 where it has not. */
    static int place(int[] order, int dimension) {
        return IntStream.range(0, order.length)
                .filter(i -> order[i] == dimension)
                .findFirst()
                .orElse(-1);
    }

    /** What is left of an order without some of the dimensions. */
    static int[] without(int[] order, int... gone) {
        return Arrays.stream(order)
                .filter(d -> IntStream.of(gone).noneMatch(g -> g == d))
                .map(d -> d - (int) IntStream.of(gone).filter(g -> g < d).count())
                .toArray();
    }

    /** The order in which the value was computed. */
    public int[] order(Value value) {
        return forms(value).keySet().iterator().next().stream().mapToInt(i -> i).toArray();
    }

    /** A feature map as N, H, W, C. */
    OperandRef image(Value value) {
        if (facts(value).rank() != 4) {
            throw new Refused(
                    "NNAPI works on 4-D feature maps here",
                    facts(value).toString(),
                    "rank 4 (N, C, H, W)",
                    "add a batch dimension");
        }
        return in(value, IMAGE);
    }

    boolean isFloat(Value value) {
        return OperandTypes.isReal(facts(value).dtype());
    }

    void requireFloat(Value value) {
        if (!isFloat(value)) {
            throw new Refused("the operation takes real numbers", facts(value).toString(), "a floating-point dtype");
        }
    }

    /** Of quantized numbers too, which stand for real ones. */
    void requireReal(Value value) {
        if (facts(value).quantization() == null) {
            requireFloat(value);
        }
    }

    Quantization.PerTensor quantization(Value value) {
        if (!(facts(value).quantization() instanceof Quantization.PerTensor q)
                || facts(value).dtype() != DType.QUINT8) {
            throw facts(value).asQuantized();
        }
        return q;
    }

    // Arguments.

    Object constant(Value value) {
        Optional<Literals.Literal> literal = Literals.of(value);
        if (!literal.isPresent() && isCounted(value)) {
            Long number = facts.numbers().get(value);
            return number != null
                    ? number
                    : new ScriptList(
                            Type.Basic.INT,
                            value.definition().inputs().stream()
                                    .map(this::constant)
                                    .collect(Streams.toList()));
        }
        if (!literal.isPresent()) {
            throw new Refused(
                    "this argument must be known at conversion",
                    value.type().text(),
                    "a constant",
                    "make it a literal or a module attribute that never changes");
        }
        return literal.get().value();
    }

    /** Whether a value is a number of rows that is fixed in this segment, or lists such. */
    private boolean isCounted(Value value) {
        Node made = value.definition();
        return facts.numbers().containsKey(value)
                || !facts.numbers().isEmpty()
                        && made != null
                        && made.is("prim::ListConstruct")
                        && !Literals.isMutated(value)
                        && made.inputs().stream()
                                .allMatch(item -> facts.numbers().containsKey(item)
                                        || Literals.of(item).isPresent());
    }

    /** Whether a value has as many rows as elements decide. */
    public boolean isRows(Value value) {
        return facts.rows().of(value) != null;
    }

    boolean isNone(Value value) {
        return Literals.isNone(value);
    }

    /** Argument {@code index}, or null where the node has fewer or None there. */
    Value optional(Node node, int index) {
        return index >= node.inputs().size() || isNone(node.input(index)) ? null : node.input(index);
    }

    /** A constant tensor; its real numbers are float32 whatever they were. */
    Tensor tensor(Value value) {
        Tensor constant = (Tensor) typed(value, Tensor.class, "a constant tensor");
        return OperandTypes.isReal(constant.dtype()) ? OperandTypes.narrowed(constant) : constant;
    }

    /** A whole number of 32 bits. */
    int int32(Value value) {
        return Math.toIntExact(integer(value));
    }

    long integer(Value value) {
        return (Long) typed(value, Long.class, "an int");
    }

    double number(Value value) {
        Object constant = constant(value);
        if (constant instanceof Tensor tensor && tensor.numel() == 1) {
            return tensor.getDouble(0);
        }
        return constant instanceof Boolean flag
                ? (flag ? 1 : 0)
                : ((Number) typed(value, Number.class, "a number")).doubleValue();
    }

    boolean flag(Value value) {
        return (Boolean) typed(value, Boolean.class, "a bool");
    }

    String text(Value value) {
        return (String) typed(value, String.class, "a string");
    }

    /** A list of ints, or one of them. */
    int[] integers(Value value) {
        if (constant(value) instanceof Long single) {
            return Shape.toInts(new long[] {single});
        }
        return Shape.toInts(((ScriptList) typed(value, ScriptList.class, "a list of ints")).toLongs());
    }

    /** The items of a list of tensors. */
    List<Value> items(Value value) {
        Node made = value.definition();
        if (made == null || !made.is("prim::ListConstruct") && !made.is("prim::TupleConstruct")) {
            throw new Refused("the tensors must be listed", value.type().text(), "a list of tensors");
        }
        return new ArrayList<>(made.inputs());
    }

    /** The items of a list of tensors of which some may be None: null, a constant tensor or a value. */
    List<Object> indices(Value value) {
        if (isConstant(value)) {
            return new ArrayList<>(((ScriptList) constant(value)).items());
        }
        List<Object> items = new ArrayList<>();
        items(value).forEach(item -> items.add(isNone(item) ? null : isConstant(item) ? tensor(item) : item));
        return items;
    }

    /** A dimension among so many. */
    int dimension(Value value, int rank) {
        return dimension(integer(value), rank);
    }

    /** A dimension that may count from the end. */
    static int dimension(long dimension, int rank) {
        if (dimension < -rank || dimension >= Math.max(rank, 1)) {
            throw new Refused("the dimension must exist", "dimension " + dimension, -rank + " to " + (rank - 1));
        }
        return (int) (dimension < 0 ? dimension + rank : dimension);
    }

    /** The packed parameters of a quantized module. */
    <T> T packed(Value value, Class<T> type) {
        Object constant = constant(value);
        if (!(constant instanceof CustomObject object && type.isInstance(object.payload()))) {
            throw new Refused(
                    "the packed parameters must fit the operator", String.valueOf(constant), type.getSimpleName());
        }
        return type.cast(object.payload());
    }

    private Object typed(Value value, Class<?> type, String expected) {
        Object constant = constant(value);
        if (!type.isInstance(constant)) {
            throw new Refused("the argument's type", String.valueOf(constant), expected);
        }
        return constant;
    }

    /** Declares a tensor that comes from outside. */
    public interface Inputs {
        /** Adds the forms in which the value is there. */
        void declare(Value value, TensorFacts known, NnapiBuilder nnapi, Map<List<Integer>, OperandRef> forms);
    }
}
