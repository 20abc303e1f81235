package org.torchnnapi.torchscript.print;

import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Conversions;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Identifiers;
import org.torchnnapi.torchscript.ir.NecessaryArguments;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.ir.Value;

/** The expression that a node without blocks is. */
final class NodePrinter {
    private interface Form {
        void print(Node node, MarkedText out);
    }

    /** Operators that source calls by another name, which tells them from methods of tensors. */
    private static final Map<String, String> PYTHON_NAMES =
            Map.of("aten::grad", "torch.autograd.grad", "aten::backward", "torch.autograd.backward");

    /** Types whose conversions source writes by Python's name for them; that of complex numbers is not among them. */
    private static final List<Type> CONVERTED =
            List.of(Type.Basic.INT, Type.Basic.FLOAT, Type.Basic.BOOL, Type.Basic.STRING);

    private final PrintedFile file;
    private final java.util.function.Function<Value, MarkedText> texts;
    private final Map<Node, String> callees = new IdentityHashMap<>();
    private final Map<String, Form> forms;

    /** @param texts the texts of values printed before */
    NodePrinter(PrintedFile file, java.util.function.Function<Value, MarkedText> texts) {
        this.file = file;
        this.texts = texts;
        forms = new HashMap<>(Map.ofEntries(
                Map.entry("prim::Print", (n, out) -> call("print", n, out)),
                Map.entry(
                        Prim.TO_LIST,
                        (n, out) -> out.append(
                                        "annotate(" + file.type(n.output().type()) + ", ")
                                .append(input(n, 0))
                                .append(".tolist())")),
                Map.entry(
                        Prim.UNCHECKED_CAST,
                        (n, out) -> out.append(
                                        "unchecked_cast(" + file.type(n.output().type()) + ", ")
                                .append(input(n, 0))
                                .append(")")),
                Map.entry(
                        Prim.UNINITIALIZED,
                        (n, out) -> out.append(
                                "uninitialized(" + file.type(n.output().type()) + ")")),
                Map.entry(Prim.IS_INSTANCE, this::isInstance),
                Map.entry("aten::sorted", (n, out) -> call("sorted", n, out)),
                Map.entry(Prim.TUPLE_CONSTRUCT, this::tuple),
                Map.entry(Prim.LIST_CONSTRUCT, this::list),
                Map.entry(Prim.DICT_CONSTRUCT, this::dict),
                Map.entry(
                        Prim.TUPLE_INDEX,
                        (n, out) -> out.append("(")
                                .append(input(n, 0))
                                .append(")[")
                                .append(input(n, 1))
                                .append("]")),
                Map.entry(Prim.TUPLE_SLICE, this::slice),
                Map.entry("aten::__getitem__", this::item),
                Map.entry(Prim.CREATE_OBJECT, (n, out) -> {
                    String name = file.type(n.output().type());
                    out.append(name + ".__new__(" + name + ")");
                }),
                Map.entry(Prim.GET_ATTR, this::attribute),
                Map.entry(Prim.CALL_METHOD, this::callMethod),
                Map.entry(Prim.CALL_FUNCTION, this::callFunction),
                Map.entry(
                        Prim.ENUM_NAME,
                        (n, out) -> out.append("(").append(input(n, 0)).append(").name")),
                Map.entry(
                        Prim.ENUM_VALUE,
                        (n, out) -> out.append("(").append(input(n, 0)).append(").value")),
                Map.entry("aten::_unwrap_optional", this::unwrap)));
        Conversions.implicit().forEach(kind -> forms.put(kind, this::annotate));
        for (Type type : CONVERTED) {
            forms.put(Conversions.operator(type), (n, out) -> conversion(type.text(), n, out));
        }
    }

    void print(Node node, MarkedText out) {
        Form form = forms.get(node.kind());
        if (form != null) {
            form.print(node, out);
        } else {
            operator(node, out);
        }
    }

    /** What a constant is written as, or the function that a node calls. */
    String literal(Node node) {
        if (node.is(Prim.CALL_FUNCTION)) {
            return file.function((Function) node.attribute("function"));
        }
        Object value = node.attribute("value");
        Type type = node.output().type();
        if (value == null && type != Type.Basic.NONE && type != Type.Basic.ANY && !isRecoverable(node.output())) {
            return "annotate(" + file.type(type) + ", None)";
        }
        return file.literals().text(value);
    }

    /** Whether readers know what type a None is meant to be from where it is used. */
    private static boolean isRecoverable(Value none) {
        for (Value.Use use : none.uses()) {
            FunctionSchema schema = use.user().schema();
            if (schema == null
                    || use.index() >= schema.arguments().size()
                    || TypeRelations.hasVariables(
                            schema.arguments().get(use.index()).type())) {
                return false;
            }
        }
        return true;
    }

    /** @param text how the function that a node calls is written */
    void callee(Node call, String text) {
        callees.put(call, text);
    }

    private MarkedText input(Node node, int index) {
        return texts.apply(node.input(index));
    }

    private void inputs(Node node, int from, MarkedText out) {
        for (int i = from; i < node.inputs().size(); i++) {
            out.append(i == from ? "" : ", ").append(input(node, i));
        }
    }

    private void call(String name, Node node, MarkedText out) {
        out.append(name).append("(");
        inputs(node, 0, out);
        out.append(")");
    }

    /** Python's name for a conversion of one value; with more arguments it is an operator like others. */
    private void conversion(String name, Node node, MarkedText out) {
        if (node.inputs().size() == 1) {
            call(name, node, out);
        } else {
            operator(node, out);
        }
    }

    private void annotate(Node node, MarkedText out) {
        out.append("annotate(" + file.type(node.output().type()) + ", ")
                .append(input(node, 0))
                .append(")");
    }

    private void unwrap(Node node, MarkedText out) {
        boolean isNone = node.input(0).type() == Type.Basic.NONE;
        out.append("torch._unwrap_optional(");
        out.append(isNone ? "annotate(" + file.type(Type.optional(node.output().type())) + ", " : "")
                .append(input(node, 0))
                .append(isNone ? "))" : ")");
    }

    private void isInstance(Node node, MarkedText out) {
        @SuppressWarnings("unchecked")
        List<Type> types = (List<Type>) node.attribute("types");
        String text = String.join(", ", types.stream().map(file::type).collect(Streams.toList()));
        out.append("isinstance(")
                .append(input(node, 0))
                .append(", ")
                .append(types.size() == 1 ? text : "(" + text + ")")
                .append(")");
    }

    private void tuple(Node node, MarkedText out) {
        out.append(node.output().type() instanceof Type.TupleType type && type.name() != null ? file.type(type) : "")
                .append("(");
        inputs(node, 0, out);
        out.append(node.inputs().size() == 1 ? ",)" : ")");
    }

    private void list(Node node, MarkedText out) {
        Type element = node.output().type() instanceof Type.ListType type ? type.element() : Type.Basic.ANY;
        boolean open = node.inputs().isEmpty() || !LiteralPrinter.followsFromMembers(element);
        out.append(open ? "annotate(" + file.type(Type.list(element)) + ", [" : "[");
        inputs(node, 0, out);
        out.append(open ? "])" : "]");
    }

    private void dict(Node node, MarkedText out) {
        Type.DictType type = node.output().type() instanceof Type.DictType dict
                ? dict
                : new Type.DictType(Type.Basic.STRING, Type.Basic.ANY);
        boolean open = node.inputs().isEmpty()
                || !LiteralPrinter.followsFromMembers(type.key())
                || !LiteralPrinter.followsFromMembers(type.value());
        out.append(open ? "annotate(" + file.type(type) + ", {" : "{");
        for (int i = 0; i + 1 < node.inputs().size(); i += 2) {
            out.append(i == 0 ? "" : ", ").append(input(node, i)).append(": ").append(input(node, i + 1));
        }
        out.append(open ? "})" : "}");
    }

    /** Parts of a tuple, one by one: readers take no slices. */
    private void slice(Node node, MarkedText out) {
        long from = (Long) node.attribute("beg");
        long to = (Long) node.attribute("end");
        out.append("(");
        for (long i = from; i < to; i++) {
            out.append(i == from ? "(" : ", (").append(input(node, 0)).append(")[" + i + "]");
        }
        out.append(to - from == 1 ? ",)" : ")");
    }

    private void item(Node node, MarkedText out) {
        if (node.input(0).type() == Type.Basic.ANY) {
            operator(node, out);
        } else {
            boolean isName = input(node, 0).marks().isEmpty();
            out.append(isName ? "" : "(")
                    .append(input(node, 0))
                    .append(isName ? "[" : ")[")
                    .append(input(node, 1))
                    .append("]");
        }
    }

    private void attribute(Node node, MarkedText out) {
        String name = (String) node.attribute("name");
        file.type(node.input(0).type());
        if (Identifiers.isPlain(name)) {
            out.append(input(node, 0)).append(".").append(name);
        } else {
            out.append("getattr(")
                    .append(input(node, 0))
                    .append(", ")
                    .append(LiteralPrinter.quoted(name))
                    .append(")");
        }
    }

    private void callMethod(Node node, MarkedText out) {
        if (node.input(0).type() instanceof ClassType type) {
            file.type(type);
        }
        out.append("(")
                .append(input(node, 0))
                .append(").")
                .append((String) node.attribute("name"))
                .append("(");
        arguments(node, 1, out);
    }

    private void callFunction(Node node, MarkedText out) {
        out.append(callees.get(node)).append("(");
        arguments(node, 0, out);
    }

    private void arguments(Node node, int from, MarkedText out) {
        for (int i = from; i < node.inputs().size(); i++) {
            out.append(input(node, i)).append(", ");
        }
        out.append(")");
    }

    private void operator(Node node, MarkedText out) {
        file.operator(node);
        String kind = node.kind();
        int colons = kind.indexOf("::");
        String namespace = kind.substring(0, Math.max(colons, 0));
        String name = kind.substring(colons < 0 ? 0 : colons + 2);
        out.append(PYTHON_NAMES.getOrDefault(
                        kind, namespace.equals("aten") ? "torch." + name : "ops." + namespace + "." + name))
                .append("(");
        FunctionSchema schema = node.schema();
        if (schema == null) {
            unresolved(node, out);
        } else {
            declared(node, schema, out);
        }
        out.append(")");
    }

    /** Arguments of an operator that this runtime does not know; the names of the last ones were kept. */
    private void unresolved(Node node, MarkedText out) {
        List<?> keywords = node.attribute("keywords") instanceof List<?> given ? given : List.of();
        int positional = node.inputs().size() - keywords.size();
        for (int i = 0; i < node.inputs().size(); i++) {
            out.append(i == 0 ? "" : ", ")
                    .append(i < positional ? "" : keywords.get(i - positional) + "=")
                    .append(input(node, i));
        }
    }

    /** Arguments by their schema, without those at the end that are what they are by default. */
    private void declared(Node node, FunctionSchema schema, MarkedText out) {
        List<FunctionSchema.Argument> formals = schema.arguments();
        String separator = "";
        for (int i : NecessaryArguments.of(node)) {
            out.append(separator)
                    .append(
                            i < formals.size() && formals.get(i).keywordOnly()
                                    ? formals.get(i).name() + "="
                                    : "")
                    .append(input(node, i));
            separator = ", ";
        }
    }
}
