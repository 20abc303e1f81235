package org.torchnnapi.torchscript.print;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.StringJoiner;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.ir.StackOrder;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/** One function or method: its first line, and its graph as statements. */
final class FunctionPrinter {
    private static final String INDENT = "  ";
    /** An expression that would end behind this column at the least gets a variable. */
    private static final int LONG_LINE = 40;

    private final PrintedFile file;
    private final MarkedText out;
    private final LiteralPrinter literals;
    private final NameTable names;
    private final StackOrder plan = new StackOrder(FunctionPrinter::mayStandInside);
    private final UseOrder uses = new UseOrder();
    private final Map<Value, MarkedText> texts = new IdentityHashMap<>();
    /** Texts of constants that got a variable, by their literal. */
    private final Map<String, String> named = new HashMap<>();
    /** What was computed, is not in a line yet and will stand inside one. */
    private final List<Value> pending = new ArrayList<>();

    private final Set<Value> declared = Collections.newSetFromMap(new IdentityHashMap<>());
    private final NodePrinter nodes;
    private int level;

    private FunctionPrinter(PrintedFile file, int level) {
        this.file = file;
        this.level = level;
        out = file.text();
        literals = file.literals();
        names = file.names();
        nodes = new NodePrinter(file, this::text);
    }

    /** @param level of indentation of the first line: 1 for a method */
    static void print(PrintedFile file, Function function, int level) {
        FunctionPrinter printer = new FunctionPrinter(file, level);
        file.names().startFunction();
        if (!function.hasBody()) {
            printer.declaration(function);
            return;
        }
        Graph graph = function.graph();
        printer.head(function, graph);
        printer.level++;
        printer.uses.add(graph.block());
        printer.body(graph.block());
    }

    /** A method of an interface. */
    private void declaration(Function method) {
        StringJoiner parameters = new StringJoiner(", ", "(", ")").add("self");
        List<FunctionSchema.Argument> arguments = method.schema().arguments();
        for (FunctionSchema.Argument argument : arguments.subList(1, arguments.size())) {
            parameters.add(argument.name() + ": " + file.type(argument.type()));
        }
        indent().append("def " + method.name() + parameters + " -> "
                + file.type(method.schema().returns().get(0).type()) + ":\n");
        level++;
        indent().append("pass\n");
    }

    private void head(Function function, Graph graph) {
        FunctionSchema schema = function.schema();
        indent().append("def ").append(function.name()).append("(");
        for (int i = 0; i < schema.arguments().size(); i++) {
            FunctionSchema.Argument argument = schema.arguments().get(i);
            Value parameter = graph.inputs().get(i);
            String name = names.fresh(argument.name());
            texts.put(parameter, MarkedText.of(name));
            out.append(i == 0 ? "" : ",\n    ").append(name).append(": ").append(file.type(argument.type()));
            if (argument.hasDefault()) {
                out.append("=").append(literals.text(argument.defaultValue()));
            }
        }
        out.append(") -> ").append(file.type(schema.returns().get(0).type())).append(":\n");
    }

    private void body(Block body) {
        List<Node> constants = new ArrayList<>();
        collectConstants(body, constants);
        plan.add(body);
        constants.forEach(this::constant);
        body.nodes().forEach(this::statement);
        SourceRange before = out.at(body.returns().range());
        shorten(body.results());
        indent().append("return ");
        list(body.results());
        out.append("\n");
        out.at(before);
    }

    /** Constants in the order of their use. */
    private static void collectConstants(Block block, List<Node> found) {
        for (Node node : block.nodes()) {
            if (node.is(Prim.CALL_FUNCTION)) {
                found.add(node);
            }
            constantInputs(node, found);
            if (!node.is(Prim.FORK)) {
                node.blocks().forEach(inner -> collectConstants(inner, found));
            }
        }
        constantInputs(block.returns(), found);
    }

    private static void constantInputs(Node node, List<Node> found) {
        for (Value input : node.inputs()) {
            if (input.definition() != null
                    && StackOrder.isConstant(input.definition())
                    && !found.contains(input.definition())) {
                found.add(input.definition());
            }
        }
    }

    /** Long literals get a variable at the start, others stand where they are used. */
    private void constant(Node node) {
        SourceRange before = out.at(node.range());
        boolean isCall = node.is(Prim.CALL_FUNCTION);
        String literal = nodes.literal(node);
        String text = named.get(literal);
        if (text == null) {
            text = literal;
            if (isLong(literal.length())) {
                text = isCall ? names.fresh("_") : names.fresh(node.output());
                indent().append(text).append(" = ").append(literal).append("\n");
            }
            named.put(literal, text);
        }
        if (isCall) {
            nodes.callee(node, text);
        } else {
            texts.put(node.output(), MarkedText.of(text));
        }
        out.at(before);
    }

    /** What has a name keeps it, unless it is at once what a block gives. */
    private static boolean mayStandInside(Value value) {
        Node node = value.definition();
        Value.Use use = value.uses().get(0);
        if (node.is(Prim.IS_INSTANCE)
                || node.is(Prim.ENTER)
                || node.is(Prim.EXIT)
                || use.user().is(Prim.TUPLE_SLICE)) {
            return false;
        }
        boolean startsLoop = use.user().is(Prim.LOOP)
                && (use.index() >= 2 || !LoopForm.of(use.user()).isPlain());
        return !startsLoop
                && !node.is("prim::ModuleContainerIndex")
                && (!NameTable.isNamed(value) || use.user().is(Prim.RETURN));
    }

    private boolean isLong(int length) {
        return length + level * INDENT.length() >= LONG_LINE;
    }

    private MarkedText indent() {
        return out.append(Strings.repeat(INDENT, level));
    }

    private MarkedText text(Value value) {
        MarkedText known = texts.get(value);
        if (known == null) {
            throw new IllegalStateException("value " + value + " of type "
                    + value.type().text() + ": used before it is written (expected: a verified graph)");
        }
        return known;
    }

    private void name(Value value) {
        texts.put(value, MarkedText.of(names.fresh(value)));
    }

    /**
     * Gives variables to inputs that would make the line long, and to all that is computed before the last of those and
     * not yet in a line: what stands in a variable is computed before what stands in the line.
     */
    private void shorten(List<Value> inputs) {
        int until = 0;
        for (int i = 0; i < pending.size(); i++) {
            if (inputs.contains(pending.get(i)) && isLong(text(pending.get(i)).length())) {
                until = i + 1;
            }
        }
        List<Value> early = pending.subList(0, until);
        early.forEach(value -> define(List.of(value), text(value)));
        early.clear();
        pending.removeAll(inputs);
    }

    /** {@code names = text}. */
    private void define(List<Value> values, MarkedText text) {
        values.forEach(this::name);
        indent();
        if (!values.isEmpty()) {
            list(values);
            out.append(" = ");
        }
        out.append(text).append("\n");
    }

    private void list(List<Value> values) {
        for (int i = 0; i < values.size(); i++) {
            out.append(i == 0 ? "" : ", ").append(text(values.get(i)));
        }
    }

    /**
     * {@code a, b = c, d}; nothing if there are no values. One that may be of several types is told so where it is
     * first assigned.
     */
    private void assign(List<Value> targets, List<Value> values) {
        assign(targets, values, " : ");
    }

    private void assign(List<Value> targets, List<Value> values, String colon) {
        if (!targets.isEmpty()) {
            indent();
            list(targets);
            Type type = targets.get(0).type();
            if (targets.size() == 1
                    && (type instanceof Type.OptionalType || type instanceof Type.UnionType)
                    && declared.add(targets.get(0))) {
                out.append(colon + file.type(type));
            }
            out.append(" = ");
            list(values);
            out.append("\n");
        }
    }

    private void statement(Node node) {
        if (StackOrder.isConstant(node)) {
            return;
        }
        SourceRange before = out.at(node.range());
        shorten(node.inputs());
        switch (node.kind()) {
            case Prim.IF -> branch(node);
            case Prim.LOOP -> loop(node);
            case Prim.TUPLE_UNPACK, Prim.LIST_UNPACK -> unpack(node);
            case Prim.SET_ATTR ->
                indent().append(text(node.input(0)))
                        .append(".")
                        .append((String) node.attribute("name"))
                        .append(" = ")
                        .append(text(node.input(1)))
                        .append("\n");
            case Prim.FORK -> fork(node);
            case "prim::ModuleContainerIndex" -> part(node);
            case Prim.ENTER -> enter(node);
            case Prim.EXIT -> exit(node);
            default -> {
                MarkedText text = new MarkedText();
                text.at(node.range());
                nodes.print(node, text);
                if (plan.isInside(node)) {
                    texts.put(node.output(), text);
                    pending.add(node.output());
                } else {
                    define(node.outputs(), text);
                }
            }
        }
        out.at(before);
    }

    private void block(Block block, Runnable end) {
        level++;
        int start = out.length();
        block.nodes().forEach(this::statement);
        end.run();
        if (out.length() == start) {
            indent().append("pass\n");
        }
        level--;
    }

    private void branch(Node node) {
        List<Value> outputs = inUseOrder(node, node.outputs());
        outputs.forEach(this::name);
        indent().append("if ").append(text(node.input(0))).append(":\n");
        block(node.blocks().get(0), () -> results(node, 0));
        indent().append("else:\n");
        block(node.blocks().get(1), () -> results(node, 1));
    }

    private void results(Node node, int branch) {
        List<Value> results = inUseOrder(node, node.blocks().get(branch).results());
        shorten(results);
        assign(inUseOrder(node, node.outputs()), results);
    }

    /**
     * What belongs to the outputs of a branch or loop, by where these are used first; variables are numbered in that
     * order.
     */
    private List<Value> inUseOrder(Node node, List<Value> values) {
        return uses.order(node).stream().map(values::get).collect(Streams.toList());
    }

    private void loop(Node node) {
        Block body = node.blocks().get(0);
        Value index = body.parameters().get(0);
        LoopForm form = LoopForm.of(node);
        List<Value> outputs = inUseOrder(node, node.outputs());
        List<Value> parameters =
                inUseOrder(node, body.parameters().subList(1, body.parameters().size()));
        List<Value> starts =
                inUseOrder(node, node.inputs().subList(2, node.inputs().size()));
        List<Value> results =
                inUseOrder(node, body.results().subList(1, body.results().size()));
        outputs.forEach(this::name);
        for (int i = 0; i < outputs.size(); i++) {
            texts.put(parameters.get(i), text(outputs.get(i)));
            assign(List.of(outputs.get(i)), List.of(starts.get(i)), ": ");
        }
        name(index);
        if (form == LoopForm.FOR) {
            indent().append("for ")
                    .append(text(index))
                    .append(" in range(")
                    .append(text(node.input(0)))
                    .append("):\n");
            block(body, () -> {
                shorten(results);
                assign(outputs, results);
            });
        } else if (form == LoopForm.WHILE) {
            // The trip index has no use, so that its place is free for the condition.
            assign(List.of(index), List.of(node.input(1)));
            indent().append("while ").append(text(index)).append(":\n");
            block(body, () -> {
                List<Value> ends = with(body.results().get(0), results);
                shorten(ends);
                assign(with(index, outputs), ends);
            });
        } else {
            countedLoop(node, outputs, results);
        }
    }

    private static List<Value> with(Value first, List<Value> rest) {
        List<Value> all = new ArrayList<>(List.of(first));
        all.addAll(rest);
        return all;
    }

    private void countedLoop(Node node, List<Value> outputs, List<Value> results) {
        Block body = node.blocks().get(0);
        Value again = body.results().get(0);
        String count = text(body.parameters().get(0)).toString();
        String more = names.fresh("_");
        indent().append(count).append(" = 0\n");
        indent().append(more)
                .append(" = torch.__and__(torch.lt(" + count + ", ")
                .append(text(node.input(0)))
                .append("), ")
                .append(text(node.input(1)))
                .append(")\n");
        indent().append("while ").append(more).append(":\n");
        block(body, () -> {
            shorten(with(again, results));
            String next = names.fresh("_");
            String goesOn = names.fresh("_");
            indent().append(next).append(" = torch.add(" + count + ", 1)\n");
            indent().append(goesOn)
                    .append(" = torch.__and__(torch.lt(" + next + ", ")
                    .append(text(node.input(0)))
                    .append("), ")
                    .append(text(again))
                    .append(")\n");
            indent().append(more + ", " + count);
            outputs.forEach(output -> out.append(", ").append(text(output)));
            out.append(" = " + goesOn + ", " + next);
            results.forEach(result -> out.append(", ").append(text(result)));
            out.append("\n");
        });
    }

    private void unpack(Node node) {
        if (!node.outputs().isEmpty()) {
            node.outputs().forEach(this::name);
            indent();
            node.outputs().forEach(output -> out.append(text(output)).append(", "));
            out.append("= ").append(text(node.input(0))).append("\n");
        }
    }

    /** A module of a container, with the interface that it is declared as. */
    private void part(Node node) {
        name(node.output());
        indent().append(text(node.output()))
                .append(" : " + file.type(node.output().type()) + " = ")
                .append(text(node.input(0)))
                .append("[")
                .append(text(node.input(1)))
                .append("]\n");
    }

    private void fork(Node node) {
        String name = names.fresh("__forked_function");
        indent().append("def ").append(name).append("():\n");
        level++;
        body(node.blocks().get(0));
        level--;
        define(node.outputs(), MarkedText.of("fork(" + name + ")"));
    }

    private void enter(Node node) {
        indent().append("with ").append(text(node.input(0)));
        if (node.output().isUsed()) {
            name(node.output());
            out.append(" as ").append(text(node.output()));
        }
        out.append(":\n");
        level++;
    }

    private void exit(Node node) {
        int position = node.owner().nodes().indexOf(node);
        boolean isEmpty = node.owner().nodes().subList(0, position).stream()
                .filter(n -> !StackOrder.isConstant(n))
                .reduce((a, b) -> b)
                .map(n -> n.is(Prim.ENTER))
                .orElse(false);
        if (isEmpty) {
            indent().append("pass\n");
        }
        level--;
    }
}
