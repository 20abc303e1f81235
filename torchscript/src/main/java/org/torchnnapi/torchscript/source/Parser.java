package org.torchnnapi.torchscript.source;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.torchscript.format.ReadBudget;

/** Statements and definitions, by recursive descent; expressions are read by {@link ExpressionParser}. */
final class Parser {
    private static final int MAX_DEPTH = 256;

    private final Cursor cursor;
    private final ExpressionParser expressions;
    private final ClassTwins twins;
    private int depth;

    private Parser(Cursor cursor) {
        this(cursor, new ClassTwins());
    }

    private Parser(Cursor cursor, ClassTwins twins) {
        this.cursor = cursor;
        this.twins = twins;
        this.expressions = new ExpressionParser(cursor);
    }

    /**
     * Reads a file.
     *
     * @param twins classes of other files, to which those of this one are added
     * @param budget of the file that the text is in
     * @throws SourceException if the text is no TorchScript
     */
    static Tree.FileTree file(String entry, String text, ClassTwins twins, ReadBudget budget) {
        return new Parser(new Cursor(new Lexer(SourceText.of(entry, text, budget))), twins).file();
    }

    /**
     * Reads a function that was passed over.
     *
     * @throws SourceException if its text is no TorchScript
     */
    static Tree.FunctionTree function(FunctionText text) {
        return new Parser(new Cursor(Lexer.of(text))).function();
    }

    /**
     * Reads a declared type, as the expression it is written as.
     *
     * @throws SourceException if it is none
     */
    static Tree.Expression type(Tree.Annotation annotation) {
        Parser parser = new Parser(new Cursor(Lexer.of(annotation)));
        Tree.Expression type = parser.expressions.expression();
        parser.cursor.expectLineEnd();
        return type;
    }

    private Tree.Annotation annotation() {
        Tree.Annotation annotation = cursor.annotation();
        if (annotation.at().offset() == annotation.end()) {
            throw cursor.error("a type");
        }
        return annotation;
    }

    private Tree.FileTree file() {
        List<Tree.ClassTree> classes = new ArrayList<>();
        List<Tree.Definition> functions = new ArrayList<>();
        while (cursor.peek().kind() != Token.Kind.END) {
            Token token = cursor.peek();
            if (token.isName("class")) {
                classes.add(classDefinition());
            } else if (token.isName("def")) {
                functions.add(definition(null));
            } else if (token.isName("import") || token.isName("op_version_set")) {
                skipLine();
            } else {
                throw cursor.error("a class or function definition");
            }
        }
        return new Tree.FileTree(cursor.entry(), classes, functions);
    }

    /** Archives of the first file formats name the files they need and their operator version; neither is needed. */
    private void skipLine() {
        while (cursor.peek().kind() != Token.Kind.NEWLINE) {
            cursor.next();
        }
        cursor.next();
    }

    private Tree.ClassTree classDefinition() {
        Position at = cursor.next().at();
        String name = cursor.name("a class name");
        Tree.ClassTree twin = twins.find(cursor.entry(), name);
        ClassHeader known = twin != null && cursor.skipHeader(at, twin.header()) ? twin.header() : null;
        String base = known == null ? classBase() : known.base();
        cursor.expectIndent();
        List<Tree.Member> members = new ArrayList<>();
        List<Tree.Definition> methods = new ArrayList<>();
        Position firstMethod = null;
        boolean membersLast = false;
        while (!cursor.skipDedent()) {
            if (cursor.peek().isName("def")) {
                firstMethod = firstMethod == null ? cursor.peek().at() : firstMethod;
                methods.add(definition(twin));
            } else if (cursor.peek().isName("pass")) {
                cursor.next();
                cursor.expectLineEnd();
            } else {
                members.add(member());
                membersLast = firstMethod != null;
            }
        }
        ClassHeader header = known;
        if (known == null || !members.isEmpty()) {
            if (known != null) {
                members.addAll(0, known.members());
            }
            boolean methodsLast = firstMethod != null && !membersLast;
            header = new ClassHeader(
                    base,
                    members,
                    cursor.source(),
                    at,
                    methodsLast ? firstMethod.offset() - firstMethod.column() + 1 : -1,
                    methodsLast ? firstMethod.line() - at.line() : 0);
        }
        Tree.ClassTree type = new Tree.ClassTree(name, header, methods, at);
        twins.add(cursor.entry(), type);
        return type;
    }

    /** The first line of a class behind its name; the name of the base class, or null. */
    private String classBase() {
        String base = null;
        if (cursor.skip("(")) {
            base = cursor.peek().is(")") ? null : dottedName();
            cursor.expect(")");
        }
        cursor.expect(":");
        cursor.expectLineEnd();
        return base;
    }

    private String dottedName() {
        StringBuilder name = new StringBuilder(cursor.name("a base class"));
        while (cursor.skip(".")) {
            name.append('.').append(cursor.name("a name"));
        }
        return name.toString();
    }

    private Tree.Member member() {
        Position at = cursor.peek().at();
        String name = cursor.name("an attribute, a method or pass");
        if (name.equals("__annotations__") && cursor.skip("[")) {
            String key = cursor.string("an attribute name in quotes");
            cursor.expect("]");
            cursor.expect("=");
            Tree.Annotation type = annotation();
            cursor.expectLineEnd();
            return new Tree.Member(key, type, null, at);
        }
        Tree.Annotation type = cursor.skip(":") ? annotation() : null;
        Tree.Expression value = null;
        if (type == null || cursor.peek().is("=")) {
            cursor.expect("=");
            value = expressions.expressionOrTuple();
        }
        cursor.expectLineEnd();
        return new Tree.Member(name, type, value, at);
    }

    /** @param twin a class whose method of the same name may have the same text, or null */
    private Tree.Definition definition(Tree.ClassTree twin) {
        Position at = cursor.next().at();
        String name = cursor.name("a function name");
        FunctionText text = cursor.skipFunction(at, twin == null ? null : twin.method(name));
        if (cursor.isInBrackets()) {
            // The file is cut off: parsing says where.
            function(text);
        }
        return new Tree.Definition(name, text);
    }

    private Tree.FunctionTree function() {
        Position at = cursor.next().at();
        String name = cursor.name("a function name");
        cursor.expect("(");
        List<Tree.Parameter> parameters = new ArrayList<>();
        while (!cursor.skip(")")) {
            Position where = cursor.peek().at();
            String parameter = cursor.name("a parameter name");
            Tree.Annotation type = cursor.skip(":") ? annotation() : null;
            Tree.Expression defaultValue = cursor.skip("=") ? expressions.expression() : null;
            parameters.add(new Tree.Parameter(parameter, type, defaultValue, where));
            if (!cursor.peek().is(")")) {
                cursor.expect(",");
            }
        }
        Tree.Annotation returns = cursor.skip("->") ? annotation() : null;
        return new Tree.FunctionTree(name, parameters, returns, body(), at);
    }

    private List<Tree.Statement> body() {
        cursor.expect(":");
        cursor.expectLineEnd();
        cursor.expectIndent();
        if (++depth > MAX_DEPTH) {
            throw cursor.error("at most " + MAX_DEPTH + " nested blocks");
        }
        List<Tree.Statement> statements = new ArrayList<>();
        while (!cursor.skipDedent()) {
            statements.add(statement());
        }
        depth--;
        return statements;
    }

    private Tree.Statement statement() {
        Token token = cursor.peek();
        if (token.kind() == Token.Kind.NAME) {
            switch (token.text()) {
                case "if":
                    return ifStatement();
                case "for":
                    return forStatement();
                case "while":
                    cursor.next();
                    return new Tree.While(expressions.expression(), body(), token.at());
                case "with":
                    return withStatement();
                case "def":
                    return new Tree.Nested(function(), token.at());
                case "return":
                    cursor.next();
                    Tree.Expression value =
                            cursor.peek().kind() == Token.Kind.NEWLINE ? null : expressions.expressionOrTuple();
                    cursor.expectLineEnd();
                    return new Tree.Return(value, token.at());
                case "pass":
                    cursor.next();
                    cursor.expectLineEnd();
                    return new Tree.Pass(token.at());
                default:
                    return simpleStatement();
            }
        }
        return simpleStatement();
    }

    private Tree.Statement ifStatement() {
        Position at = cursor.next().at();
        Tree.Expression condition = expressions.expression();
        List<Tree.Statement> then = body();
        List<Tree.Statement> otherwise = List.of();
        if (cursor.peek().isName("elif")) {
            if (++depth > MAX_DEPTH) {
                throw cursor.error("at most " + MAX_DEPTH + " nested blocks");
            }
            otherwise = List.of(ifStatement());
            depth--;
        } else if (cursor.peek().isName("else")) {
            cursor.next();
            otherwise = body();
        }
        return new Tree.If(condition, then, otherwise, at);
    }

    private Tree.Statement forStatement() {
        Position at = cursor.next().at();
        String variable = cursor.name("a loop variable");
        if (!cursor.peek().isName("in")) {
            throw cursor.error("'in'");
        }
        cursor.next();
        return new Tree.For(variable, expressions.expression(), body(), at);
    }

    private Tree.Statement withStatement() {
        Position at = cursor.next().at();
        Tree.Expression context = expressions.expression();
        String variable = null;
        if (cursor.peek().isName("as")) {
            cursor.next();
            variable = cursor.name("a variable");
        }
        return new Tree.With(context, variable, body(), at);
    }

    private Tree.Statement simpleStatement() {
        Position at = cursor.peek().at();
        List<Tree.Expression> targets = new ArrayList<>();
        targets.add(expressions.expression());
        boolean unpack = false;
        while (cursor.skip(",")) {
            unpack = true;
            if (!cursor.peek().is("=")) {
                targets.add(expressions.expression());
            }
        }
        Tree.Annotation type = !unpack && cursor.skip(":") ? annotation() : null;
        Tree.Statement statement;
        if (cursor.skip("=")) {
            statement = new Tree.Assign(targets, unpack, type, expressions.expressionOrTuple(), at);
        } else if (unpack || type != null) {
            throw cursor.error("'='");
        } else {
            statement = new Tree.ExpressionStatement(targets.get(0), at);
        }
        cursor.expectLineEnd();
        return statement;
    }
}
