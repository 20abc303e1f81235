package org.torchnnapi.torchscript.source;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Conversions;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.TypeRelations;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.passes.DeadCode;

/**
 * Statements to a graph. Variables that branches and loops assign become results of their nodes, in alphabetical order.
 */
final class FunctionBuilder {
    /** A function inside a function. */
    record Closure(Tree.FunctionTree function) {}

    private static final long UNBOUNDED = Long.MAX_VALUE;

    private final Emitter emitter;
    private final ExpressionBuilder expressions;
    /** The statement that is built. */
    private Position at;

    private FunctionBuilder(Emitter emitter) {
        this.emitter = emitter;
        this.expressions = new ExpressionBuilder(emitter, this);
    }

    /** @throws SourceException if the body is broken */
    static Graph build(CodeLoader loader, FunctionText text, FunctionSchema schema) {
        Tree.FunctionTree tree = text.tree();
        Emitter emitter = new Emitter(loader, text);
        for (FunctionSchema.Argument argument : schema.arguments()) {
            emitter.scope().set(argument.name(), emitter.graph().addInput(argument.type(), argument.name()));
        }
        FunctionBuilder builder = new FunctionBuilder(emitter);
        builder.at = tree.at();
        Type declared = schema.returns().get(0).type();
        try {
            emitter.block().addResult(builder.body(tree, declared));
        } catch (IllegalArgumentException e) {
            // Of a type or a constant, which know no place.
            throw emitter.error(builder.at, String.valueOf(e.getMessage()), "code that PyTorch writes");
        }
        DeadCode.tidy(emitter.graph());
        return emitter.graph();
    }

    /** The value of a nested function, emitted where the emitter stands. */
    Value closure(Closure closure) {
        Tree.FunctionTree tree = closure.function();
        if (!tree.parameters().isEmpty()) {
            throw emitter.error(tree.at(), "parameters of a nested function", "none");
        }
        return body(tree, tree.returns() == null ? null : emitter.type(tree.returns()));
    }

    /** @param declared type of the result, or null if it follows from the body */
    private Value body(Tree.FunctionTree tree, Type declared) {
        List<Tree.Statement> statements = tree.body();
        int last = statements.size() - 1;
        Tree.Statement end = statements.isEmpty() ? null : statements.get(last);
        if (!(end instanceof Tree.Return result)) {
            statements(statements);
            Value none = emitter.constant(null, Type.Basic.NONE, tree.at());
            return declared == null ? none : annotated(none, declared, tree.at());
        }
        statements(statements.subList(0, last));
        if (result.value() == null) {
            return emitter.constant(null, Type.Basic.NONE, result.at());
        }
        Value value = expressions.value(result.value(), declared);
        return declared == null ? value : annotated(value, declared, result.at());
    }

    /** {@code value} as a {@code type}; None where an optional is wanted gets the optional's type. */
    Value annotated(Value value, Type type, Position at) {
        Value converted = expressions.calls().matcher().convert(value, type, at, "a value");
        if (converted.type() == Type.Basic.NONE
                && type instanceof Type.OptionalType
                && converted.definition() != null
                && converted.definition().is(Prim.CONSTANT)
                && !converted.isUsed()) {
            converted.type(type);
        }
        return converted;
    }

    private void statements(List<Tree.Statement> statements) {
        statements.forEach(this::statement);
    }

    private void statement(Tree.Statement statement) {
        at = statement.at();
        if (statement instanceof Tree.Assign assign) {
            assign(assign);
        } else if (statement instanceof Tree.ExpressionStatement s) {
            if (s.expression() instanceof Tree.Call call) {
                expressions.calls().results(call, null);
            } else {
                expressions.value(s.expression());
            }
        } else if (statement instanceof Tree.If branch) {
            branch(branch);
        } else if (statement instanceof Tree.For loop) {
            loop(loop.body(), range(loop), null, loop.variable(), loop.at());
        } else if (statement instanceof Tree.While loop) {
            loop(loop.body(), null, loop.condition(), null, loop.at());
        } else if (statement instanceof Tree.With with) {
            with(with);
        } else if (statement instanceof Tree.Nested nested) {
            emitter.scope().set(nested.function().name(), new Closure(nested.function()));
        } else if (statement instanceof Tree.Return) {
            throw emitter.error(statement.at(), "return", "return only as the last statement of a function");
        }
    }

    private void assign(Tree.Assign assign) {
        if (assign.unpack()) {
            List<Value> parts =
                    expressions.parts(assign.value(), assign.targets().size());
            for (int i = 0; i < parts.size(); i++) {
                assignTo(assign.targets().get(i), parts.get(i));
            }
            return;
        }
        Tree.Expression target = assign.targets().get(0);
        Function function = target instanceof Tree.Name && !(assign.value() instanceof Tree.Call)
                ? expressions.function(assign.value())
                : null;
        if (function != null) {
            emitter.scope().set(((Tree.Name) target).name(), function);
            return;
        }
        Type type = assign.type() == null ? hint(target) : emitter.type(assign.type());
        Value value = expressions.value(assign.value(), type);
        if (assign.type() == null) {
            assignTo(target, value);
            return;
        }
        Value converted = annotated(value, type, assign.at());
        assignTo(target, converted);
        if (target instanceof Tree.Name name) {
            emitter.scope().set(name.name(), converted, type);
        }
    }

    /** The type of the attribute assigned to, if it is one. */
    private Type hint(Tree.Expression target) {
        if (target instanceof Tree.Attribute attribute
                && attribute.object() instanceof Tree.Name name
                && emitter.scope().find(name.name()) instanceof Value object
                && object.type() instanceof ClassType owner
                && owner.slot(attribute.name()) >= 0) {
            return owner.attributes().get(owner.slot(attribute.name())).type();
        }
        return null;
    }

    private void assignTo(Tree.Expression target, Value value) {
        if (target instanceof Tree.Name name) {
            if (value.name() == null) {
                value.name(name.name());
            }
            emitter.scope().set(name.name(), value);
        } else if (target instanceof Tree.Attribute attribute) {
            Value object = expressions.value(attribute.object());
            if (!(object.type() instanceof ClassType owner) || owner.slot(attribute.name()) < 0) {
                throw emitter.error(
                        target.at(),
                        "attribute " + attribute.name(),
                        "an attribute of " + object.type().text());
            }
            Type type = owner.attributes().get(owner.slot(attribute.name())).type();
            Value converted = expressions.calls().matcher().convert(value, type, target.at(), "a value");
            emitter.node(Prim.SET_ATTR, List.of(object, converted), target.at()).attribute("name", attribute.name());
        } else if (target instanceof Tree.Index index) {
            Value object = expressions.value(index.object());
            Value position = expressions.value(index.index());
            expressions.calls().operator("aten::_set_item", List.of(object, position, value), Map.of(), target.at());
        } else {
            throw emitter.error(target.at(), "an expression left of '='", "a variable, attribute or item");
        }
    }

    private void branch(Tree.If branch) {
        Value condition = condition(branch.condition());
        Node node = emitter.node(Prim.IF, List.of(condition), branch.at());
        Block then = node.addBlock();
        Block otherwise = node.addBlock();
        NameScope thenScope = emitter.within(then, () -> statements(branch.then()));
        NameScope elseScope = emitter.within(otherwise, () -> statements(branch.otherwise()));
        Set<String> names = new TreeSet<>(thenScope.assigned());
        names.addAll(elseScope.assigned());
        for (String name : names) {
            Object a = thenScope.find(name);
            Object b = elseScope.find(name);
            if (a instanceof Value x && b instanceof Value y) {
                then.addResult(x);
                otherwise.addResult(y);
                Type type = joined(
                        thenScope.type(name),
                        elseScope.type(name),
                        emitter.scope().type(name));
                emitter.scope().set(name, node.addOutput(type).name(name));
            } else if (a != null && a.equals(b)) {
                emitter.scope().set(name, a);
            }
        }
    }

    private Value condition(Tree.Expression expression) {
        Value value = expressions.value(expression);
        if (SchemaMatcher.isOpen(value)) {
            return expressions.calls().matcher().convert(value, Type.Basic.BOOL, expression.at(), "a condition");
        }
        if (value.type() == Type.Basic.TENSOR || value.type() == Type.Basic.INT || value.type() == Type.Basic.FLOAT) {
            return expressions
                    .calls()
                    .operator(Conversions.operator(Type.Basic.BOOL), List.of(value), Map.of(), expression.at())
                    .get(0);
        }
        if (value.type() != Type.Basic.BOOL && value.type() != Type.Basic.ANY) {
            throw emitter.error(
                    expression.at(), "a condition of type " + value.type().text(), "bool");
        }
        return value;
    }

    /** @param before the type that the variable had where both begin, or null: several are taken in if it does so */
    private static Type joined(Type a, Type b, Type before) {
        Type both = TypeRelations.unify(a, b);
        if (both != null) {
            return both;
        }
        boolean holdsBoth = before != null && TypeRelations.isSubtype(a, before) && TypeRelations.isSubtype(b, before);
        return holdsBoth ? before : Type.Basic.ANY;
    }

    /** Start, step and trip count of {@code range(..)}; start and step are null for 0 and 1. */
    private record Range(Value count, Value start, Value step) {}

    private Range range(Tree.For loop) {
        if (!(loop.iterable() instanceof Tree.Call call)
                || !(call.callee() instanceof Tree.Name name)
                || !name.name().equals("range")
                || call.arguments().isEmpty()
                || call.arguments().size() > 3
                || !call.keywords().isEmpty()) {
            throw emitter.error(loop.iterable().at(), "an iteration", "range with 1 to 3 arguments");
        }
        List<Value> arguments = new ArrayList<>(expressions.calls().arguments(call));
        arguments.replaceAll(argument ->
                expressions.calls().matcher().convert(argument, Type.Basic.INT, call.at(), "argument of range"));
        if (arguments.size() == 1) {
            return new Range(arguments.get(0), null, null);
        }
        Value step = arguments.size() == 3 ? arguments.get(2) : emitter.constant(1L, Type.Basic.INT, call.at());
        Value count = expressions
                .calls()
                .operator(
                        "aten::__range_length", List.of(arguments.get(0), arguments.get(1), step), Map.of(), call.at())
                .get(0);
        return new Range(count, arguments.get(0), step);
    }

    /** @param range of a for loop, or null @param condition of a while loop, or null */
    private void loop(List<Tree.Statement> body, Range range, Tree.Expression condition, String variable, Position at) {
        Value count = range != null ? range.count() : emitter.constant(UNBOUNDED, Type.Basic.INT, at);
        Value enter = condition != null ? condition(condition) : emitter.constant(true, Type.Basic.BOOL, at);
        Node node = emitter.node(Prim.LOOP, List.of(count, enter), at);
        Block block = node.addBlock();
        Value index = block.addParameter(Type.Basic.INT, variable);
        TreeSet<String> carried = new TreeSet<>();
        AssignedNames.collect(body, carried);
        if (variable != null) {
            carried.add(variable);
        }
        carried.removeIf(name -> !(emitter.scope().find(name) instanceof Value));
        for (String name : carried) {
            node.addInput((Value) emitter.scope().find(name));
            block.addParameter(emitter.scope().type(name), name);
        }
        NameScope inner = emitter.within(block, () -> {
            int next = 1;
            for (String name : carried) {
                emitter.scope().set(name, block.parameters().get(next++));
            }
            if (variable != null) {
                emitter.scope()
                        .set(
                                variable,
                                range.start() == null
                                        ? index
                                        : expressions
                                                .calls()
                                                .operator(
                                                        "aten::__derive_index",
                                                        List.of(index, range.start(), range.step()),
                                                        Map.of(),
                                                        at)
                                                .get(0));
            }
            statements(body);
            block.addResult(condition != null ? condition(condition) : emitter.constant(true, Type.Basic.BOOL, at));
        });
        for (String name : carried) {
            boolean hasEnd = inner.find(name) instanceof Value;
            block.addResult((Value) (hasEnd ? inner : emitter.scope()).find(name));
            Type before = emitter.scope().type(name);
            Type type = joined(before, hasEnd ? inner.type(name) : before, null);
            emitter.scope().set(name, node.addOutput(type).name(name));
        }
    }

    private void with(Tree.With with) {
        Value context = expressions.value(with.context());
        Type entered = context.type() instanceof ClassType owner && owner.method("__enter__") != null
                ? owner.method("__enter__").schema().returns().get(0).type()
                : Type.Basic.ANY;
        Value value = emitter.value(Prim.ENTER, List.of(context), entered, with.at());
        if (with.variable() != null) {
            emitter.scope().set(with.variable(), value);
        }
        statements(with.body());
        emitter.value(Prim.EXIT, List.of(context), Type.Basic.ANY, with.at());
    }
}
