package org.torchnnapi.operators;

import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.RuntimeTypes;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * Writes calls of operators into a graph, at a place that the implementation knows: the operators that passes write
 * have their names here once. Arguments are values, or what is constant: tensors, numbers, truth values, texts,
 * {@code int[]} and null.
 */
public interface NodeBuilder {
    /** A node of the graph, which is not yet anywhere in it. */
    Node create(String kind);

    /** Puts a node where the builder writes. */
    Node append(Node node);

    /** A constant that may be read where the builder writes. */
    Value constant(Object value);

    /** What writes nodes and constants one behind the other. */
    static NodeBuilder of(Graph graph, Consumer<Node> place) {
        return of(graph, SourceRange.NONE, place, place);
    }

    /** What writes nodes; their constants are put nowhere, as who places a node places what it reads. */
    static NodeBuilder withLooseConstants(Graph graph, Consumer<Node> place) {
        return of(graph, SourceRange.NONE, place, constant -> {});
    }

    /** What writes before a node, and says that it comes from where that does. */
    static NodeBuilder before(Node next) {
        Consumer<Node> place = node -> next.owner().insertBefore(next, node);
        return of(next.graph(), next.range(), place, place);
    }

    private static NodeBuilder of(Graph graph, SourceRange range, Consumer<Node> place, Consumer<Node> constants) {
        return new NodeBuilder() {
            @Override
            public Node create(String kind) {
                return graph.create(kind).range(range);
            }

            @Override
            public Node append(Node node) {
                place.accept(node);
                return node;
            }

            @Override
            public Value constant(Object value) {
                Node constant = NodeBuilder.constant(graph, value).range(range);
                constants.accept(constant);
                return constant.output();
            }
        };
    }

    /** A constant that is not yet anywhere in the graph. */
    static Node constant(Graph graph, Object value) {
        return graph.constant(value, RuntimeTypes.of(value));
    }

    /** An argument as a value. */
    default Value value(Object argument) {
        return argument instanceof Value value
                ? value
                : constant(
                        argument instanceof int[] numbers
                                ? ScriptList.ofInts(
                                        Arrays.stream(numbers).asLongStream().toArray())
                                : argument instanceof Integer number ? (Object) number.longValue() : argument);
    }

    /** A call of the overload of that full name, such as {@code aten::ne.int}, without outputs, not appended. */
    default Node operator(String overload, Object... arguments) {
        return operator(schema(overload), arguments);
    }

    private static FunctionSchema schema(String overload) {
        Operator operator = OperatorRegistry.withBuiltins().find(overload);
        if (operator == null) {
            throw new IllegalStateException(overload + " (expected: an operator this runtime has)");
        }
        return operator.schema();
    }

    private Node operator(FunctionSchema schema, Object... arguments) {
        Node made = create(schema.name()).schema(schema);
        for (Object argument : arguments) {
            made.addInput(value(argument));
        }
        return made;
    }

    /** The result of a call of the overload of that full name. */
    default Value call(String overload, Type result, Object... arguments) {
        return call(schema(overload), result, arguments);
    }

    /** The same of an operator that is known by its schema. */
    default Value call(FunctionSchema schema, Type result, Object... arguments) {
        Node made = operator(schema, arguments);
        Value out = made.addOutput(result);
        append(made);
        return out;
    }

    /** The tensor that an operator gives. */
    default Value tensor(String overload, Object... arguments) {
        return call(overload, Type.Basic.TENSOR, arguments);
    }

    /** The operator of a node on other inputs, which gives a tensor. */
    default Value again(Node node, Iterable<Value> inputs) {
        Node made = create(node.kind()).schema(node.schema());
        inputs.forEach(made::addInput);
        append(made);
        return made.addOutput(Type.Basic.TENSOR);
    }

    /** A list of items. */
    default Value list(Type element, Value... items) {
        Node made = create(Prim.LIST_CONSTRUCT);
        for (Value item : items) {
            made.addInput(item);
        }
        append(made);
        return made.addOutput(Type.list(element));
    }

    /** A text with values in the places of {@code {}}. */
    default Value format(Object message, Value... values) {
        Node made = operator("aten::format", message);
        for (Value value : values) {
            made.addInput(value);
        }
        append(made);
        return made.addOutput(Type.Basic.STRING);
    }

    /** The items of a list or tuple that has so many. */
    default List<Value> unpack(Value container, int count) {
        boolean tuple = container.type() instanceof Type.TupleType;
        Node made = create(tuple ? Prim.TUPLE_UNPACK : Prim.LIST_UNPACK).addInput(container);
        for (int i = 0; i < count; i++) {
            made.addOutput(
                    tuple
                            ? ((Type.TupleType) container.type()).elements().get(i)
                            : ((Type.ListType) container.type()).element());
        }
        append(made);
        return made.outputs();
    }

    /** A value that may be None and is not. */
    default Value given(Value optional) {
        Node made = create(Prim.UNCHECKED_CAST).addInput(optional);
        append(made);
        return made.addOutput(((Type.OptionalType) optional.type()).element());
    }

    /** An attribute of an object. */
    default Value attribute(Value object, String name, Type type) {
        Node made = create(Prim.GET_ATTR).attribute("name", name).addInput(object);
        append(made);
        return made.addOutput(type);
    }

    /** Raises an error where a truth value is true; values go into the places of {@code {}}. */
    default Node check(Value wrong, String message, Value... values) {
        Node made = create(Prim.IF).addInput(wrong);
        NodeBuilder raise = of(made.graph(), made.addBlock()::append);
        made.addBlock();
        append(made);
        raise.raise(values.length == 0 ? message : raise.format(message, values));
        return made;
    }

    /** Raises an error. */
    default void raise(Object message) {
        append(operator("prim::RaiseException", message, null));
    }

    /** Whether a node raises an error. */
    static boolean isRaise(Node node) {
        return node.is("prim::RaiseException");
    }

    // Numbers, truth values and None.

    default Value plus(Object a, Object b) {
        return call("aten::add.int", Type.Basic.INT, a, b);
    }

    default Value minus(Object a, Object b) {
        return call("aten::sub.int", Type.Basic.INT, a, b);
    }

    default Value times(Object a, Object b) {
        return call("aten::mul.int", Type.Basic.INT, a, b);
    }

    /** The quotient, rounded down. */
    default Value quotient(Object a, Object b) {
        return call("aten::floordiv.int", Type.Basic.INT, a, b);
    }

    default Value remainder(Object a, Object b) {
        return call("aten::remainder.int", Type.Basic.INT, a, b);
    }

    /** A whole number as a real one. */
    default Value real(Object whole) {
        return call("aten::Float.int", Type.Basic.FLOAT, whole);
    }

    /** The quotient of real numbers. */
    default Value ratio(Object a, Object b) {
        return call("aten::div.float", Type.Basic.FLOAT, a, b);
    }

    /** The product of real numbers. */
    default Value scaled(Object a, Object b) {
        return call("aten::mul.float", Type.Basic.FLOAT, a, b);
    }

    /** Whether numbers of one type differ: whole ones, real ones, or truth values. */
    default Value differ(Value a, Object b) {
        return call("aten::ne." + a.type().text(), Type.Basic.BOOL, a, b);
    }

    default Value areEqual(Object a, Object b) {
        return call("aten::eq.int", Type.Basic.BOOL, a, b);
    }

    default Value isLess(Object a, Object b) {
        return call("aten::lt.int", Type.Basic.BOOL, a, b);
    }

    default Value isGreater(Object a, Object b) {
        return call("aten::gt.int", Type.Basic.BOOL, a, b);
    }

    default Value not(Value truth) {
        return call("aten::__not__", Type.Basic.BOOL, truth);
    }

    default Value and(Value a, Value b) {
        return call("aten::__and__.bool", Type.Basic.BOOL, a, b);
    }

    default Value or(Value a, Value b) {
        return call("aten::__or__.bool", Type.Basic.BOOL, a, b);
    }

    default Value isNone(Value value) {
        return call("aten::__is__", Type.Basic.BOOL, value, null);
    }

    default Value isGiven(Value value) {
        return call("aten::__isnot__", Type.Basic.BOOL, value, null);
    }

    // Lists and dicts.

    /** How many items a list or dict has. */
    default Value length(Value container) {
        return call(
                container.type() instanceof Type.DictType type ? "aten::len." + form(type) : "aten::len.t",
                Type.Basic.INT,
                container);
    }

    /** An item of a list or dict. */
    default Value item(Value container, Object key) {
        return container.type() instanceof Type.DictType type
                ? call("aten::__getitem__." + form(type), type.value(), container, key)
                : call("aten::__getitem__.t", ((Type.ListType) container.type()).element(), container, key);
    }

    /** Whether a node gives an item of a list, tuple or dict, by its number or key. */
    static boolean isItem(Node node) {
        return node.is("aten::__getitem__");
    }

    /** Whether a dict has a key. */
    default Value contains(Value dict, Object key) {
        return call("aten::__contains__." + ((Type.DictType) dict.type()).key().text(), Type.Basic.BOOL, dict, key);
    }

    /** Puts an item behind those of a list. */
    default void add(Value list, Value item) {
        call("aten::append.t", list.type(), list, item);
    }

    private static String form(Type.DictType dict) {
        return "Dict_" + dict.key().text();
    }

    // What tensors are.

    default Value size(Object tensor, Object dimension) {
        return call("aten::size.int", Type.Basic.INT, tensor, dimension);
    }

    /** Whether a node gives a size of a tensor, or all of them. */
    static boolean isSize(Node node) {
        return node.is("aten::size");
    }

    default Value sizes(Value tensor) {
        return call("aten::size", Type.list(Type.Basic.INT), tensor);
    }

    default Value rank(Value tensor) {
        return call("aten::dim", Type.Basic.INT, tensor);
    }

    default Value dtype(Value tensor) {
        return call("prim::dtype", Type.Basic.INT, tensor);
    }

    default Value haveSizes(Value tensor, int... wanted) {
        return call("aten::eq.int_list", Type.Basic.BOOL, sizes(tensor), wanted);
    }

    default Value haveOtherSizes(Value tensor, int... wanted) {
        return call("aten::ne.int_list", Type.Basic.BOOL, sizes(tensor), wanted);
    }

    // Tensors.

    default Value reshape(Object tensor, Object sizes) {
        return call("aten::reshape", Type.Basic.TENSOR, tensor, sizes);
    }

    default Value select(Object tensor, Object dimension, Object index) {
        return call("aten::select.int", Type.Basic.TENSOR, tensor, dimension, index);
    }

    /** What {@link #select} gives, of zeros; from a dimension that has nothing, too. */
    default Value zerosOfItem(Value tensor, Value dimension) {
        Value sums = call(
                "aten::sum.dim_IntList",
                Type.Basic.TENSOR,
                slice(tensor, dimension, 0, 0),
                list(Type.Basic.INT, dimension),
                false,
                null);
        return call("aten::type_as", Type.Basic.TENSOR, sums, tensor);
    }

    default Value slice(Object tensor, Object dimension, Object from, Object to) {
        return call("aten::slice.Tensor", Type.Basic.TENSOR, tensor, dimension, from, to, 1);
    }

    default Value indexSelect(Object tensor, Object dimension, Object places) {
        return call("aten::index_select", Type.Basic.TENSOR, tensor, dimension, places);
    }

    default Value concatenate(Object tensors, Object dimension) {
        return call("aten::cat", Type.Basic.TENSOR, tensors, dimension);
    }

    default Value stack(Object tensors, Object dimension) {
        return call("aten::stack", Type.Basic.TENSOR, tensors, dimension);
    }

    default Value unsqueeze(Object tensor, Object dimension) {
        return call("aten::unsqueeze", Type.Basic.TENSOR, tensor, dimension);
    }

    default Value squeeze(Object tensor, Object dimension) {
        return call("aten::squeeze.dim", Type.Basic.TENSOR, tensor, dimension);
    }

    default Value sum(Object a, Object b) {
        return call("aten::add.Tensor", Type.Basic.TENSOR, a, b, 1);
    }

    default Value difference(Object a, Object b) {
        return call("aten::sub.Tensor", Type.Basic.TENSOR, a, b, 1);
    }

    /** Elements of {@code yes} where a condition holds, and of {@code no} elsewhere. */
    default Value where(Object condition, Object yes, Object no) {
        return call("aten::where.self", Type.Basic.TENSOR, condition, yes, no);
    }

    default Value both(Object a, Object b) {
        return call("aten::logical_and", Type.Basic.TENSOR, a, b);
    }

    default Value to(Object tensor, DType dtype) {
        return call("aten::to.dtype", Type.Basic.TENSOR, tensor, dtype.code(), false, false, null);
    }

    /** A tensor as large, of the same elements, that lies densely in memory in the order of the format. */
    default Value contiguous(Object tensor, int memoryFormat) {
        return call("aten::contiguous", Type.Basic.TENSOR, tensor, memoryFormat);
    }

    default Value zeros(Value sizes, DType dtype) {
        return call("aten::zeros", Type.Basic.TENSOR, sizes, dtype.code(), null, null, null);
    }

    /** A tensor of no dimensions of one number. */
    default Value filled(Object number, DType dtype) {
        return call("aten::full", Type.Basic.TENSOR, new int[0], number, dtype.code(), null, null, null);
    }

    default Value dequantize(Object tensor) {
        return call("aten::dequantize.self", Type.Basic.TENSOR, tensor);
    }
}
