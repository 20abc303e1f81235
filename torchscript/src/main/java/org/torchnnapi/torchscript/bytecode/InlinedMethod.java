package org.torchnnapi.torchscript.bytecode;

import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.BlockCopy;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.SchemaParser;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.ContextManagerElimination;
import org.torchnnapi.torchscript.passes.EachNode;
import org.torchnnapi.torchscript.passes.ForkInlining;
import org.torchnnapi.torchscript.passes.Inlining;
import org.torchnnapi.torchscript.passes.Literals;

/**
 * A method's graph with every call of a function or of a known class's method replaced by what it does, and what the
 * lite interpreter lacks said otherwise: a fork is done at once, and a {@code with} calls the methods of its object.
 */
final class InlinedMethod {
    private static final int MAX_DEPTH = 200;
    private static final FunctionSchema INT_OF_BOOL = SchemaParser.parse("aten::Int.bool(bool a) -> int");

    private final Graph graph;
    private final Function method;
    private final Map<Node, CallSite> calls = new IdentityHashMap<>();

    /** What a node's operator is made of, or null where it stays. */
    private final java.util.function.Function<Node, Function> decompositions;

    private InlinedMethod(Function method, java.util.function.Function<Node, Function> decompositions) {
        this.method = method;
        this.decompositions = decompositions;
        this.graph = BlockCopy.of(method.graph());
    }

    /**
     * @param decompositions what operators that the target lacks are made of; null for those that stay
     * @throws BytecodeException if functions call each other in a circle
     */
    static InlinedMethod of(Function method, java.util.function.Function<Node, Function> decompositions) {
        InlinedMethod inlined = new InlinedMethod(method, decompositions);
        Block body = inlined.graph.block();
        inlined.expand(List.copyOf(body.nodes()), 0);
        dropUnread(body);
        EachNode.over(inlined.graph, InlinedMethod::takeNumber);
        EachNode.over(inlined.graph, InlinedMethod::takeTruths);
        return inlined;
    }

    Graph graph() {
        return graph;
    }

    /** The call that a node was inlined from, or null for the method's own. */
    CallSite call(Node node) {
        return calls.get(node);
    }

    /** The lite interpreter takes operands as they stand, so one that counts as a number is written as one. */
    private static boolean takeNumber(Node node) {
        Number number = Literals.numberOperand(node);
        if (number == null) {
            return false;
        }
        FunctionSchema schema = node.schema();
        List<FunctionSchema.Argument> arguments = new ArrayList<>(schema.arguments());
        arguments.set(1, FunctionSchema.Argument.of(arguments.get(1).name(), Type.Basic.NUMBER));
        Node literal = node.graph()
                .constant(number, number instanceof Double ? Type.Basic.FLOAT : Type.Basic.INT)
                .range(node.range());
        node.owner().insertBefore(node, literal);
        node.setInput(1, literal.output());
        node.schema(new FunctionSchema(
                schema.name(), "Scalar", arguments, schema.returns(), schema.isVararg(), schema.traits()));
        return true;
    }

    /**
     * From PyTorch 1.12 on the lite interpreter makes tensors of lists of numbers, and of no lists of truth values:
     * these are written as whole numbers.
     */
    private static boolean takeTruths(Node node) {
        if (!makesTensorOfList(node.schema()) || !areTruths(node.input(0))) {
            return false;
        }
        Value data = node.input(0);
        node.setInput(0, numbers(data, node));
        drop(data);
        if (node.input(1).type() == Type.Basic.NONE) {
            node.setInput(1, before(node, node.graph().constant((long) DType.BOOL.code(), Type.Basic.INT)));
        }
        return true;
    }

    private static boolean makesTensorOfList(FunctionSchema schema) {
        return schema != null
                && schema.arguments().size() > 1
                && schema.arguments().get(0).name().equals("data")
                && schema.arguments().get(0).type() instanceof Type.ListType
                && schema.arguments().get(1).name().equals("dtype");
    }

    /** Whether a value is a truth value, or a list of them that nobody else may change. */
    private static boolean areTruths(Value value) {
        return value.type() == Type.Basic.BOOL
                || value.definition() != null
                        && value.definition().is(Prim.LIST_CONSTRUCT)
                        && value.uses().size() == 1
                        && !value.definition().inputs().isEmpty()
                        && value.definition().inputs().stream().allMatch(InlinedMethod::areTruths);
    }

    private static Value numbers(Value truths, Node reader) {
        Graph graph = reader.graph();
        if (truths.type() != Type.Basic.BOOL) {
            List<Value> items = truths.definition().inputs().stream()
                    .map(item -> numbers(item, reader))
                    .collect(Streams.toList());
            return before(
                    reader,
                    graph.create(
                            Prim.LIST_CONSTRUCT, items, Type.list(items.get(0).type())));
        }
        return before(
                reader,
                Literals.orNull(truths) instanceof Boolean known
                        ? graph.constant(known ? 1L : 0L, Type.Basic.INT)
                        : graph.create(INT_OF_BOOL.name(), List.of(truths), Type.Basic.INT)
                                .schema(INT_OF_BOOL));
    }

    /** Removes a list that nobody reads, with those in it. */
    private static void drop(Value list) {
        Node made = list.definition();
        if (made != null && made.is(Prim.LIST_CONSTRUCT) && list.uses().isEmpty()) {
            List<Value> items = List.copyOf(made.inputs());
            made.destroy();
            items.forEach(InlinedMethod::drop);
        }
    }

    private static Value before(Node reader, Node made) {
        return reader.owner().insertBefore(reader, made.range(reader.range())).output();
    }

    /**
     * Objects that are only written to are made for what entering and leaving them does, which the lite interpreter
     * does without.
     */
    private static void dropUnread(Block block) {
        for (Node node : List.copyOf(block.nodes())) {
            node.blocks().forEach(InlinedMethod::dropUnread);
            if (node.is(Prim.CREATE_OBJECT)
                    && node.output().uses().stream()
                            .allMatch(use -> use.user().is(Prim.SET_ATTR) && use.index() == 0)) {
                List.copyOf(node.output().uses()).forEach(use -> use.user().destroy());
                node.destroy();
            }
        }
    }

    private void expand(List<Node> nodes, int depth) {
        if (depth > MAX_DEPTH) {
            throw new BytecodeException(method.qualifiedName() + ": calls nested deeper than " + MAX_DEPTH
                    + " (expected: functions that do not call themselves, as byte code has no calls)");
        }
        for (Node node : nodes) {
            Function callee = callee(node);
            if (callee != null) {
                replace(node, callee, depth);
                continue;
            }
            switch (node.kind()) {
                case Prim.FORK -> expand(ForkInlining.unfold(node), depth);
                case "aten::wait" -> drop(node);
                case Prim.ENTER -> with(node, "__enter__", 0, depth);
                case Prim.EXIT -> with(node, "__exit__", 3, depth);
                default -> node.blocks().forEach(block -> expand(List.copyOf(block.nodes()), depth));
            }
        }
    }

    private Function callee(Node node) {
        if (node.is(Prim.CALL_FUNCTION)) {
            return (Function) node.attribute("function");
        }
        if (node.is(Prim.CALL_METHOD)
                && node.input(0).type() instanceof ClassType type
                && (type.kind() == ClassType.Kind.MODULE || type.kind() == ClassType.Kind.OBJECT)) {
            return type.method((String) node.attribute("name"));
        }
        return node.schema() == null ? null : decompositions.apply(node);
    }

    private void replace(Node call, Function callee, int depth) {
        boolean isMethod = call.is(Prim.CALL_METHOD);
        Node object = isMethod ? call.input(0).definition() : null;
        CallSite site = new CallSite(
                calls.get(call),
                call.range(),
                isMethod ? call.input(0).type().text() : null,
                object != null && object.is(Prim.GET_ATTR) ? (String) object.attribute("name") : "",
                callee.schema().name());
        List<Value> results = Inlining.before(call, callee.graph(), inner -> {
            mark(inner, site);
            expand(List.copyOf(inner.nodes()), depth + 1);
        });
        Inlining.replace(call, results);
    }

    private void mark(Block block, CallSite site) {
        for (Node node : block.nodes()) {
            calls.put(node, site);
            node.blocks().forEach(inner -> mark(inner, site));
        }
    }

    private static void drop(Node wait) {
        wait.output().replaceAllUsesWith(wait.input(0));
        wait.destroy();
    }

    private void with(Node node, String name, int nones, int depth) {
        if (ContextManagerElimination.isIdle(node)) {
            node.destroy();
        } else {
            expand(List.of(call(node, name, nones)), depth);
        }
    }

    /** A call of a method of the node's first input, with so many arguments None, in its place. */
    private Node call(Node node, String name, int nones) {
        Node call = graph.create(
                        Prim.CALL_METHOD, List.of(node.input(0)), node.output().type())
                .attribute("name", name)
                .range(node.range());
        for (int i = 0; i < nones; i++) {
            call.addInput(node.owner()
                    .insertBefore(node, graph.constant(null, Type.Basic.NONE))
                    .output());
        }
        node.owner().insertBefore(node, call);
        calls.put(call, calls.get(node));
        node.output().replaceAllUsesWith(call.output());
        node.destroy();
        return call;
    }
}
