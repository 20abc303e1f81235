package org.torchnnapi.torchscript.source;

import java.util.List;

/** The syntax tree. */
final class Tree {
    private Tree() {}

    sealed interface Expression {
        Position at();
    }

    record Name(String name, Position at) implements Expression {}

    /** {@code object.name}. */
    record Attribute(Expression object, String name, Position at) implements Expression {}

    record Keyword(String name, Expression value) {}

    record Call(Expression callee, List<Expression> arguments, List<Keyword> keywords, Position at)
            implements Expression {}

    /** {@code object[index]}. */
    record Index(Expression object, Expression index, Position at) implements Expression {}

    /** {@code object[from:to]} of a tuple. */
    record Slice(Expression object, Expression from, Expression to, Position at) implements Expression {}

    record ListDisplay(List<Expression> items, Position at) implements Expression {}

    record TupleDisplay(List<Expression> items, Position at) implements Expression {}

    record DictDisplay(List<Expression> keys, List<Expression> values, Position at) implements Expression {}

    /** A literal as runtime value: Long, Double, Complex, String, Boolean or null for None. */
    record Literal(Object value, Position at) implements Expression {}

    /**
     * A declared type, which is parsed when it is first met: the same few come again and again, and some are never
     * asked for.
     */
    record Annotation(SourceText source, Position at, int end) {
        String text() {
            return source.text().substring(at.offset(), end);
        }
    }

    sealed interface Statement {
        Position at();
    }

    record ExpressionStatement(Expression expression, Position at) implements Statement {}

    /**
     * @param targets what stands left of {@code =}; several, or one with {@code unpack}, take the parts of the value
     * @param type annotation of a single target, or null
     * @param value never null; {@code x, y = a, b} has a {@link TupleDisplay} here
     */
    record Assign(List<Expression> targets, boolean unpack, Annotation type, Expression value, Position at)
            implements Statement {}

    record If(Expression condition, List<Statement> then, List<Statement> otherwise, Position at)
            implements Statement {}

    /** {@code for variable in iterable}. */
    record For(String variable, Expression iterable, List<Statement> body, Position at) implements Statement {}

    record While(Expression condition, List<Statement> body, Position at) implements Statement {}

    /** @param variable name after {@code as}, or null */
    record With(Expression context, String variable, List<Statement> body, Position at) implements Statement {}

    /** @param value null for a bare {@code return} */
    record Return(Expression value, Position at) implements Statement {}

    record Pass(Position at) implements Statement {}

    /** A function inside a function. */
    record Nested(FunctionTree function, Position at) implements Statement {}

    /** @param type null for an unannotated {@code self} */
    record Parameter(String name, Annotation type, Expression defaultValue, Position at) {}

    /** @param returns declared result type, or null */
    record FunctionTree(
            String name, List<Parameter> parameters, Annotation returns, List<Statement> body, Position at) {}

    /**
     * A line of a class body.
     *
     * @param type declared type, or null
     * @param value assigned value, or null
     */
    record Member(String name, Annotation type, Expression value, Position at) {}

    /** A function of a file or class, which is parsed when it is needed. */
    record Definition(String name, FunctionText text) {}

    /** A class. */
    record ClassTree(String name, ClassHeader header, List<Definition> methods, Position at) {
        /** {@code Module}, {@code ModuleInterface}, {@code NamedTuple}, {@code Enum}, .. or null. */
        String base() {
            return header.base();
        }

        List<Member> members() {
            return header.members();
        }

        /** The text of a method, or null. */
        FunctionText method(String wanted) {
            for (Definition method : methods) {
                if (method.name().equals(wanted)) {
                    return method.text();
                }
            }
            return null;
        }
    }

    record FileTree(String entry, List<ClassTree> classes, List<Definition> functions) {}
}
