package org.torchnnapi.torchscript.bytecode;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.NecessaryArguments;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/** The instruction of each node without blocks, whose inputs lie on the stack. */
final class InstructionEmitter {
    /** Takes an instruction and gives its position. */
    interface Sink {
        int add(String op, int x, int n);
    }

    /** From this version on some operators have instructions of their own. */
    private static final int PROMOTED_VERSION = 8;

    /** Element types of lists that tensors become, by the number that instructions name them by. */
    static final List<Type> SCALARS = List.of(Type.Basic.INT, Type.Basic.FLOAT, Type.Basic.BOOL, Type.Basic.COMPLEX);
    /**
     * From this version on calls may leave out arguments that are what they are by default, before tensors that take
     * results too.
     */
    private static final int COUNTED_VERSION = 7;

    private final BytecodeTables tables;
    private final int version;
    private final Sink code;

    InstructionEmitter(BytecodeTables tables, int version, Sink code) {
        this.tables = tables;
        this.version = version;
        this.code = code;
    }

    void constant(Object value) {
        code.add("LOADC", tables.constant(value), 0);
    }

    void emit(Node node) {
        int count = node.inputs().size();
        switch (node.kind()) {
            case Prim.LIST_CONSTRUCT ->
                code.add("LIST_CONSTRUCT", tables.type(node.output().type()), count);
            case Prim.DICT_CONSTRUCT ->
                code.add("DICT_CONSTRUCT", tables.type(node.output().type()), count);
            case Prim.TUPLE_CONSTRUCT -> tuple(node);
            case Prim.TUPLE_UNPACK -> code.add("OP", tables.operator(Prim.TUPLE_UNPACK, "", 1), 0);
            case Prim.LIST_UNPACK -> code.add("LIST_UNPACK", node.outputs().size(), 0);
            case Prim.TUPLE_SLICE ->
                code.add("TUPLE_SLICE", Math.toIntExact((Long) node.attribute("beg")), Math.toIntExact((Long)
                        node.attribute("end")));
            case Prim.GET_ATTR -> code.add("GET_ATTR", slot(node), 0);
            case Prim.SET_ATTR -> code.add("SET_ATTR", slot(node), 0);
            case Prim.CREATE_OBJECT -> object(node);
            case Prim.IS_INSTANCE -> isInstance(node);
            case Prim.CALL_METHOD -> code.add("INTERFACE_CALL", tables.method(node), count);
            case Prim.UNINITIALIZED -> {
                if (version >= PROMOTED_VERSION) {
                    code.add("UN_INITIALIZED", 0, 0);
                } else {
                    code.add("OP", tables.operator(Prim.UNINITIALIZED, "", 0), 0);
                }
            }
            case Prim.UNCHECKED_CAST -> {}
            case Prim.TO_LIST -> toList(node);
            case Prim.ENUM_NAME, Prim.ENUM_VALUE -> tables.refuse(node, "enums have no byte code");
            case Prim.TUPLE_INDEX -> {
                if (version >= PROMOTED_VERSION) {
                    code.add("TUPLE_INDEX", 0, 0);
                } else {
                    code.add("OP", tables.operator(Prim.TUPLE_INDEX, "", count), 0);
                }
            }
            default -> operator(node);
        }
    }

    private void tuple(Node node) {
        if (node.output().type() instanceof Type.TupleType type && type.name() != null) {
            code.add("NAMED_TUPLE_CONSTRUCT", tables.type(type), node.inputs().size());
        } else {
            code.add("TUPLE_CONSTRUCT", node.inputs().size(), 0);
        }
    }

    private int slot(Node node) {
        String name = (String) node.attribute("name");
        int slot = node.input(0).type() instanceof ClassType type && name != null ? type.slot(name) : -1;
        if (slot < 0 && node.attribute("slot") instanceof Long known) {
            slot = Math.toIntExact(known);
        }
        if (slot < 0) {
            tables.refuse(
                    node, "attribute " + name + " of " + node.input(0).type().text() + " is not declared");
        }
        return slot;
    }

    /** Unions, which the table of types has no word for, stand as their members: any of several types will do. */
    private void isInstance(Node node) {
        @SuppressWarnings("unchecked")
        List<Type> wanted = (List<Type>) node.attribute("types");
        List<Type> single = new ArrayList<>();
        wanted.forEach(type -> single.addAll(type instanceof Type.UnionType union ? union.members() : List.of(type)));
        code.add("ISINSTANCE", tables.types(single), single.size());
    }

    /** Dimensions and element type follow the tensor on the stack. */
    private void toList(Node node) {
        Type type = node.output().type();
        long dimensions = 0;
        while (type instanceof Type.ListType list) {
            type = list.element();
            dimensions++;
        }
        if (!SCALARS.contains(type)) {
            tables.refuse(
                    node, "tolist to " + node.output().type().text() + " is no list of int, float, complex or bool");
            return;
        }
        constant(dimensions);
        constant((long) SCALARS.indexOf(type));
        if (version >= PROMOTED_VERSION) {
            code.add("TO_LIST", 0, 0);
        } else {
            code.add("OP", tables.operator(Prim.TO_LIST, "", 3), 0);
        }
    }

    private void object(Node node) {
        if (node.output().type() instanceof ClassType type && type.kind() != ClassType.Kind.CUSTOM) {
            tables.refuse(
                    node,
                    "the lite interpreter makes no objects of a class of the program, as " + type.text()
                            + " (expected: tuples, or classes of the runtime)");
        }
        code.add("CREATE_OBJECT", tables.type(node.output().type()), 0);
    }

    private void operator(Node node) {
        FunctionSchema schema = node.schema();
        if (schema == null) {
            tables.refuse(node, "no operator of this name and arguments is known");
            return;
        }
        String promoted = promoted(node);
        if (promoted != null) {
            code.add(promoted, promoted.equals("FORMAT") ? node.inputs().size() : 0, 0);
        } else if (schema.isVararg()) {
            code.add("OPN", tables.operator(node, -1), node.inputs().size());
        } else {
            code.add("OP", tables.operator(node, inputs(node).size()), 0);
        }
    }

    /** The instruction that an operator has to itself, or null. */
    private String promoted(Node node) {
        String promoted = node.is(Prim.TUPLE_INDEX) ? "TUPLE_INDEX" : InstructionTable.shortForm(node.kind());
        if (version < PROMOTED_VERSION) {
            return "WARN".equals(promoted) ? promoted : null;
        }
        return node.is("aten::__getitem__") && node.schema().overload().equals("Dict_str") ? "DICT_INDEX" : promoted;
    }

    /** The inputs that a node's instruction finds on the stack. */
    List<Value> inputs(Node node) {
        FunctionSchema schema = node.schema();
        if (schema == null || schema.isVararg() || version < COUNTED_VERSION || promoted(node) != null) {
            return node.inputs();
        }
        return NecessaryArguments.of(node).stream().map(node::input).collect(Streams.toList());
    }
}
