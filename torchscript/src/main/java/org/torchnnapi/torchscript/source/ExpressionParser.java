package org.torchnnapi.torchscript.source;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.torchscript.value.Complex;

/** Expressions: names, literals, displays, calls, attributes and subscripts; TorchScript writes no operators. */
final class ExpressionParser {
    private static final int MAX_DEPTH = 200;

    private final Cursor cursor;
    private int depth;

    ExpressionParser(Cursor cursor) {
        this.cursor = cursor;
    }

    /** {@code a} or {@code a, b}. */
    Tree.Expression expressionOrTuple() {
        Position at = cursor.peek().at();
        Tree.Expression first = expression();
        if (!cursor.peek().is(",")) {
            return first;
        }
        List<Tree.Expression> items = new ArrayList<>();
        items.add(first);
        while (cursor.skip(",")) {
            if (cursor.peek().kind() == Token.Kind.NEWLINE) {
                break;
            }
            items.add(expression());
        }
        return new Tree.TupleDisplay(items, at);
    }

    Tree.Expression expression() {
        if (++depth > MAX_DEPTH) {
            throw cursor.error("at most " + MAX_DEPTH + " nested expressions");
        }
        Tree.Expression expression = primary();
        int chain = 0;
        while (true) {
            Token token = cursor.peek();
            if (token.is(".")) {
                cursor.next();
                expression = new Tree.Attribute(expression, cursor.name("an attribute name"), expression.at());
            } else if (token.is("(")) {
                expression = call(expression);
            } else if (token.is("[")) {
                cursor.next();
                Tree.Expression index = subscript();
                expression = cursor.skip(":")
                        ? new Tree.Slice(expression, index, expression(), expression.at())
                        : new Tree.Index(expression, index, expression.at());
                cursor.expect("]");
            } else {
                break;
            }
            if (++chain > MAX_DEPTH) {
                throw cursor.error("at most " + MAX_DEPTH + " chained attributes, calls and subscripts");
            }
        }
        depth--;
        return expression;
    }

    /** {@code [a]}, or {@code [a, b]} as in a type. */
    private Tree.Expression subscript() {
        Position at = cursor.peek().at();
        Tree.Expression first = expression();
        if (!cursor.peek().is(",")) {
            return first;
        }
        List<Tree.Expression> items = new ArrayList<>();
        items.add(first);
        while (cursor.skip(",") && !cursor.peek().is("]")) {
            items.add(expression());
        }
        return new Tree.TupleDisplay(items, at);
    }

    private Tree.Expression call(Tree.Expression callee) {
        cursor.expect("(");
        List<Tree.Expression> arguments = new ArrayList<>();
        List<Tree.Keyword> keywords = new ArrayList<>();
        while (!cursor.skip(")")) {
            Tree.Expression argument = expression();
            if (argument instanceof Tree.Name name && cursor.skip("=")) {
                keywords.add(new Tree.Keyword(name.name(), expression()));
            } else if (keywords.isEmpty()) {
                arguments.add(argument);
            } else {
                throw new SourceException(
                        cursor.entry(),
                        argument.at(),
                        "a positional argument",
                        "only keyword arguments after the first one");
            }
            if (!cursor.peek().is(")")) {
                cursor.expect(",");
            }
        }
        return new Tree.Call(callee, arguments, keywords, callee.at());
    }

    private Tree.Expression primary() {
        Token token = cursor.peek();
        switch (token.kind()) {
            case NAME:
                cursor.next();
                return switch (token.text()) {
                    case "None" -> new Tree.Literal(null, token.at());
                    case "True" -> new Tree.Literal(true, token.at());
                    case "False" -> new Tree.Literal(false, token.at());
                    case "inf", "nan" -> maybeComplex(special(token.text()), token.at());
                    default -> new Tree.Name(token.text(), token.at());
                };
            case STRING:
                cursor.next();
                return new Tree.Literal(token.text(), token.at());
            case INT:
            case FLOAT:
            case IMAGINARY:
                return number(token.at(), false);
            default:
                break;
        }
        if (token.is("-")) {
            cursor.next();
            return number(token.at(), true);
        }
        if (token.is("(")) {
            return parenthesized();
        }
        if (token.is("[")) {
            cursor.next();
            return new Tree.ListDisplay(items("]"), token.at());
        }
        if (token.is("{")) {
            return dict();
        }
        throw cursor.error("an expression");
    }

    private static double special(String name) {
        return name.startsWith("inf") ? Double.POSITIVE_INFINITY : Double.NaN;
    }

    private Tree.Expression number(Position at, boolean negative) {
        Token token = cursor.next();
        switch (token.kind()) {
            case INT:
                try {
                    return maybeComplex(Long.parseLong(negative ? "-" + token.text() : token.text()), at);
                } catch (NumberFormatException e) {
                    throw new SourceException(cursor.entry(), at, token.shown(), "a number of 64 bits");
                }
            case FLOAT:
                return maybeComplex(
                        negative ? -Double.parseDouble(token.text()) : Double.parseDouble(token.text()), at);
            case IMAGINARY:
                double imaginary = Double.parseDouble(token.text());
                return new Tree.Literal(new Complex(0, negative ? -imaginary : imaginary), at);
            case NAME:
                if (token.text().equals("inf") || token.text().equals("nan")) {
                    return maybeComplex(negative ? -special(token.text()) : special(token.text()), at);
                }
                break;
            default:
                break;
        }
        throw new SourceException(cursor.entry(), token.at(), token.shown(), "a number after '-'");
    }

    /** {@code 1.+2.j}: a number, a sign and an imaginary number are one literal. */
    private Tree.Expression maybeComplex(Number real, Position at) {
        if (!cursor.peek().is("+") && !cursor.peek().is("-")) {
            return new Tree.Literal(real, at);
        }
        boolean negative = cursor.next().is("-");
        Token token = cursor.next();
        double imaginary;
        if (token.kind() == Token.Kind.IMAGINARY) {
            imaginary = Double.parseDouble(token.text());
        } else if (token.isName("infj") || token.isName("nanj")) {
            imaginary = special(token.text());
        } else {
            throw new SourceException(cursor.entry(), token.at(), token.shown(), "an imaginary number such as 2.j");
        }
        return new Tree.Literal(new Complex(real.doubleValue(), negative ? -imaginary : imaginary), at);
    }

    private Tree.Expression parenthesized() {
        Position at = cursor.expect("(").at();
        if (cursor.skip(")")) {
            return new Tree.TupleDisplay(List.of(), at);
        }
        Tree.Expression first = expression();
        if (cursor.skip(")")) {
            return first;
        }
        cursor.expect(",");
        List<Tree.Expression> items = new ArrayList<>();
        items.add(first);
        items.addAll(items(")"));
        return new Tree.TupleDisplay(items, at);
    }

    private List<Tree.Expression> items(String close) {
        List<Tree.Expression> items = new ArrayList<>();
        while (!cursor.skip(close)) {
            items.add(expression());
            if (!cursor.peek().is(close)) {
                cursor.expect(",");
            }
        }
        return items;
    }

    private Tree.Expression dict() {
        Position at = cursor.expect("{").at();
        List<Tree.Expression> keys = new ArrayList<>();
        List<Tree.Expression> values = new ArrayList<>();
        while (!cursor.skip("}")) {
            keys.add(expression());
            cursor.expect(":");
            values.add(expression());
            if (!cursor.peek().is("}")) {
                cursor.expect(",");
            }
        }
        return new Tree.DictDisplay(keys, values, at);
    }
}
