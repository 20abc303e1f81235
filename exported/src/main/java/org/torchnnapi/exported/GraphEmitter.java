package org.torchnnapi.exported;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.operators.NodeBuilder;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.format.ReadBudget;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.Conversions;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorFacts;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.RuntimeTypes;

/** The place in a graph where nodes are being added, and calls of operators by the types of what they are given. */
final class GraphEmitter implements NodeBuilder {
    private final Graph graph = new Graph();
    private final OperatorFacts operators;
    private final ReadBudget budget;
    private final Map<String, List<FunctionSchema>> schemas = new HashMap<>();
    private Block block = graph.block();
    private SourceRange range = SourceRange.NONE;

    /** @param budget charged for each node, as graphs may hold one graph several times */
    GraphEmitter(OperatorFacts operators, ReadBudget budget) {
        this.operators = operators;
        this.budget = budget;
    }

    Graph graph() {
        return graph;
    }

    /** The overloads of an operator; none if it is unknown. */
    List<FunctionSchema> schemas(String kind) {
        return schemas.computeIfAbsent(kind, operators::schemas);
    }

    OperatorFacts operators() {
        return operators;
    }

    /** Where nodes that are added from now on come from. */
    void at(SourceRange place) {
        range = place;
    }

    /** Adds what a writer adds to a block, and goes on where it was. */
    void inside(Block inner, Runnable writer) {
        Block outer = block;
        block = inner;
        try {
            writer.run();
        } finally {
            block = outer;
        }
    }

    @Override
    public Node create(String kind) {
        return graph.create(kind);
    }

    @Override
    public Node append(Node node) {
        budget.charge("graph", "nodes", 1, ReadBudget.TOKEN_BYTES);
        return block.append(node.range(range));
    }

    /** A node of a kind that is no operator. */
    Node node(String kind, List<Value> inputs) {
        Node node = graph.create(kind);
        inputs.forEach(node::addInput);
        return append(node);
    }

    Value value(String kind, List<Value> inputs, Type type) {
        return node(kind, inputs).addOutput(type);
    }

    Value constant(Object value, Type type) {
        return append(graph.constant(value, type)).output();
    }

    @Override
    public Value constant(Object value) {
        return constant(value, RuntimeTypes.of(value));
    }

    Value integer(long value) {
        return constant(value, Type.Basic.INT);
    }

    Value none() {
        return constant(null, Type.Basic.NONE);
    }

    Value list(Type element, List<Value> items) {
        return value(Prim.LIST_CONSTRUCT, items, Type.list(element));
    }

    /** Calls the first overload that takes values of these types, defaults behind them. */
    Value call(String kind, Value... arguments) {
        Value result = callOrNull(kind, null, arguments);
        if (result == null) {
            StringBuilder types = new StringBuilder();
            for (Value argument : arguments) {
                types.append(types.length() == 0 ? "" : ", ")
                        .append(argument.type().text());
            }
            throw new ArchiveException(kind + "(" + types
                    + "): no such operator (expected: one with such arguments, as " + schemas(kind) + ")");
        }
        return result;
    }

    /** As {@link #call}; null where there is none, or none with a result of that type if one is given. */
    Value callOrNull(String kind, Type result, Value... arguments) {
        for (FunctionSchema schema : schemas(kind)) {
            Map<String, Type> variables = new HashMap<>();
            if (fits(schema, arguments, variables)
                    && schema.returns().size() == 1
                    && (result == null || schema.returns().get(0).type().equals(result))) {
                Node node = node(kind, filled(schema, arguments)).schema(schema);
                return node.addOutput(
                        TypeRelations.substitute(schema.returns().get(0).type(), variables));
            }
        }
        return null;
    }

    private static boolean fits(FunctionSchema schema, Value[] arguments, Map<String, Type> variables) {
        List<FunctionSchema.Argument> formals = schema.arguments();
        if (arguments.length > formals.size() && !schema.isVararg()) {
            return false;
        }
        for (int i = 0; i < formals.size(); i++) {
            if (i >= arguments.length) {
                if (!formals.get(i).hasDefault()) {
                    return false;
                }
                continue;
            }
            Type formal = formals.get(i).type();
            Type actual = arguments[i].type();
            if (!TypeRelations.bind(formal, actual, variables)
                    || !TypeRelations.isSubtype(actual, TypeRelations.substitute(formal, variables))) {
                return false;
            }
        }
        return true;
    }

    private List<Value> filled(FunctionSchema schema, Value[] arguments) {
        List<Value> inputs = new ArrayList<>(Arrays.asList(arguments));
        for (int i = arguments.length; i < schema.arguments().size(); i++) {
            inputs.add(defaultOf(schema.arguments().get(i)));
        }
        return inputs;
    }

    /** A constant of what an argument is where it is left out. */
    Value defaultOf(FunctionSchema.Argument argument) {
        Object value = argument.defaultValue();
        if (value == null) {
            return none();
        }
        Type type = TypeRelations.unwrapOptional(argument.type());
        return constant(
                value, type == Type.Basic.NUMBER || TypeRelations.hasVariables(type) ? RuntimeTypes.of(value) : type);
    }

    /** A bool of a bool, a number or a tensor of one element. */
    Value truth(Value value) {
        return value.type() == Type.Basic.BOOL ? value : call(Conversions.operator(Type.Basic.BOOL), value);
    }

    /**
     * Raises an error where a condition holds.
     *
     * @param message with {@code {}} for each of the values
     */
    void raiseIf(Value condition, String message, Value... values) {
        Node branch = node(Prim.IF, List.of(condition));
        Block then = branch.addBlock();
        branch.addBlock();
        inside(then, () -> raise(values.length > 0 ? format(message, values) : message));
    }

    /** One of two values, each computed only where it is chosen. */
    List<Value> branch(Value condition, Branch then, Branch otherwise) {
        Node node = node(Prim.IF, List.of(condition));
        Block first = node.addBlock();
        Block second = node.addBlock();
        inside(first, () -> then.values().forEach(first::addResult));
        inside(second, () -> otherwise.values().forEach(second::addResult));
        if (first.results().size() != second.results().size()) {
            throw new ArchiveException("branches: " + first.results().size() + " and "
                    + second.results().size() + " results (expected: as many of one as of the other)");
        }
        List<Value> results = new ArrayList<>();
        for (int i = 0; i < first.results().size(); i++) {
            Type both = TypeRelations.unify(
                    first.results().get(i).type(), second.results().get(i).type());
            results.add(node.addOutput(both == null ? Type.Basic.ANY : both));
        }
        return results;
    }

    /** What a branch computes. */
    interface Branch {
        List<Value> values();
    }
}
