package org.pytorch;

import java.util.Locale;
import java.util.Map;

/**
 * A value of TorchScript: what goes into and comes out of a {@link Module}. Made by the static methods; asked with
 * {@code is..} and taken apart with {@code to..}, which throw IllegalStateException for a value of another kind.
 */
public class IValue {
    /** What a value is; the names show in messages that applications know from PyTorch. */
    enum Kind {
        NULL("Null"),
        TENSOR("Tensor"),
        BOOL("Bool"),
        LONG("Long"),
        DOUBLE("Double"),
        STRING("String"),
        TUPLE("Tuple"),
        BOOL_LIST("BoolList"),
        LONG_LIST("LongList"),
        DOUBLE_LIST("DoubleList"),
        TENSOR_LIST("TensorList"),
        LIST("GenericList"),
        DICT_STRING_KEY("DictStringKey"),
        DICT_LONG_KEY("DictLongKey");

        private final String shown;

        Kind(String shown) {
            this.shown = shown;
        }
    }

    private final Kind kind;
    private final Object content;

    private IValue(Kind kind, Object content) {
        this.kind = kind;
        this.content = content;
    }

    Kind kind() {
        return kind;
    }

    /** Whether the value is None. */
    public boolean isNull() {
        return kind == Kind.NULL;
    }

    /** Whether the value is a tensor. */
    public boolean isTensor() {
        return kind == Kind.TENSOR;
    }

    /** Whether the value is a truth value. */
    public boolean isBool() {
        return kind == Kind.BOOL;
    }

    /** Whether the value is a whole number. */
    public boolean isLong() {
        return kind == Kind.LONG;
    }

    /** Whether the value is a real number. */
    public boolean isDouble() {
        return kind == Kind.DOUBLE;
    }

    /** Whether the value is a text. */
    public boolean isString() {
        return kind == Kind.STRING;
    }

    /** Whether the value is a tuple. */
    public boolean isTuple() {
        return kind == Kind.TUPLE;
    }

    /** Whether the value is a list of truth values. */
    public boolean isBoolList() {
        return kind == Kind.BOOL_LIST;
    }

    /** Whether the value is a list of whole numbers. */
    public boolean isLongList() {
        return kind == Kind.LONG_LIST;
    }

    /** Whether the value is a list of real numbers. */
    public boolean isDoubleList() {
        return kind == Kind.DOUBLE_LIST;
    }

    /** Whether the value is a list of tensors. */
    public boolean isTensorList() {
        return kind == Kind.TENSOR_LIST;
    }

    /** Whether this is a list of other values than bools, longs, doubles or tensors. */
    public boolean isList() {
        return kind == Kind.LIST;
    }

    /** Whether the value is a dictionary with texts as keys. */
    public boolean isDictStringKey() {
        return kind == Kind.DICT_STRING_KEY;
    }

    /** Whether the value is a dictionary with whole numbers as keys. */
    public boolean isDictLongKey() {
        return kind == Kind.DICT_LONG_KEY;
    }

    /** None, for arguments of type {@code Optional}. */
    public static IValue optionalNull() {
        return new IValue(Kind.NULL, null);
    }

    /** A tensor, which is not copied. */
    public static IValue from(Tensor tensor) {
        return new IValue(Kind.TENSOR, tensor);
    }

    /** A truth value. */
    public static IValue from(boolean value) {
        return new IValue(Kind.BOOL, value);
    }

    /** A whole number. */
    public static IValue from(long value) {
        return new IValue(Kind.LONG, value);
    }

    /** A real number. */
    public static IValue from(double value) {
        return new IValue(Kind.DOUBLE, value);
    }

    /** A text. */
    public static IValue from(String value) {
        return new IValue(Kind.STRING, value);
    }

    /** {@code List[bool]}; the array is not copied. */
    public static IValue listFrom(boolean... list) {
        return new IValue(Kind.BOOL_LIST, list);
    }

    /** {@code List[int]}; the array is not copied. */
    public static IValue listFrom(long... list) {
        return new IValue(Kind.LONG_LIST, list);
    }

    /** {@code List[float]}; the array is not copied. */
    public static IValue listFrom(double... list) {
        return new IValue(Kind.DOUBLE_LIST, list);
    }

    /** {@code List[Tensor]}; the array is not copied. */
    public static IValue listFrom(Tensor... list) {
        return new IValue(Kind.TENSOR_LIST, list);
    }

    /**
     * A list of values of one kind; an empty one counts as {@code List[Tensor]}. The array is not copied.
     *
     * @throws IllegalArgumentException if the kinds differ
     */
    public static IValue listFrom(IValue... array) {
        for (IValue item : array) {
            if (item.kind != array[0].kind) {
                throw new IllegalArgumentException("List must contain items of the same type");
            }
        }
        return new IValue(Kind.LIST, array);
    }

    /** The array is not copied. */
    public static IValue tupleFrom(IValue... array) {
        return new IValue(Kind.TUPLE, array);
    }

    /** {@code Dict[str, V]}, values of one kind; the map is not copied. */
    public static IValue dictStringKeyFrom(Map<String, IValue> map) {
        return new IValue(Kind.DICT_STRING_KEY, map);
    }

    /** {@code Dict[int, V]}, values of one kind; the map is not copied. */
    public static IValue dictLongKeyFrom(Map<Long, IValue> map) {
        return new IValue(Kind.DICT_LONG_KEY, map);
    }

    /**
     * The tensor.
     *
     * @throws IllegalStateException if the value is of another kind
     */
    public Tensor toTensor() {
        return (Tensor) content(Kind.TENSOR);
    }

    /**
     * The truth value.
     *
     * @throws IllegalStateException if the value is of another kind
     */
    public boolean toBool() {
        return (Boolean) content(Kind.BOOL);
    }

    /**
     * The whole number.
     *
     * @throws IllegalStateException if the value is of another kind
     */
    public long toLong() {
        return (Long) content(Kind.LONG);
    }

    /**
     * The real number.
     *
     * @throws IllegalStateException if the value is of another kind
     */
    public double toDouble() {
        return (Double) content(Kind.DOUBLE);
    }

    /**
     * The text.
     *
     * @throws IllegalStateException if the value is of another kind
     */
    public String toStr() {
        return (String) content(Kind.STRING);
    }

    /**
     * The list of truth values; not a copy.
     *
     * @throws IllegalStateException if the value is of another kind
     */
    public boolean[] toBoolList() {
        return (boolean[]) content(Kind.BOOL_LIST);
    }

    /**
     * The list of whole numbers; not a copy.
     *
     * @throws IllegalStateException if the value is of another kind
     */
    public long[] toLongList() {
        return (long[]) content(Kind.LONG_LIST);
    }

    /**
     * The list of real numbers; not a copy.
     *
     * @throws IllegalStateException if the value is of another kind
     */
    public double[] toDoubleList() {
        return (double[]) content(Kind.DOUBLE_LIST);
    }

    /**
     * The list of tensors; not a copy.
     *
     * @throws IllegalStateException if the value is of another kind
     */
    public Tensor[] toTensorList() {
        return (Tensor[]) content(Kind.TENSOR_LIST);
    }

    /**
     * The list of other values; not a copy.
     *
     * @throws IllegalStateException if the value is of another kind
     */
    public IValue[] toList() {
        return (IValue[]) content(Kind.LIST);
    }

    /**
     * The items of the tuple; not a copy.
     *
     * @throws IllegalStateException if the value is of another kind
     */
    public IValue[] toTuple() {
        return (IValue[]) content(Kind.TUPLE);
    }

    /**
     * The dictionary; not a copy.
     *
     * @throws IllegalStateException if the value is of another kind
     */
    @SuppressWarnings("unchecked")
    public Map<String, IValue> toDictStringKey() {
        return (Map<String, IValue>) content(Kind.DICT_STRING_KEY);
    }

    /**
     * The dictionary; not a copy.
     *
     * @throws IllegalStateException if the value is of another kind
     */
    @SuppressWarnings("unchecked")
    public Map<Long, IValue> toDictLongKey() {
        return (Map<Long, IValue>) content(Kind.DICT_LONG_KEY);
    }

    /**
     * The value's kind, as messages name it, and what it is; of tensors their shapes and types, of long lists the first
     * entries.
     */
    @Override
    public String toString() {
        return "IValue(" + kind.shown + (kind == Kind.NULL ? "" : ": " + ValueText.of(content)) + ")";
    }

    private Object content(Kind expected) {
        if (kind != expected) {
            throw new IllegalStateException(
                    String.format(Locale.US, "Expected IValue type %s, actual type %s", expected.shown, kind.shown));
        }
        return content;
    }
}
