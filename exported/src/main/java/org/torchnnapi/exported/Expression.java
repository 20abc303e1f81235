package org.torchnnapi.exported;

import java.util.ArrayList;
import java.util.List;

/**
 * An expression in Python's notation, in which programs write sizes, ranges and guards. What else Python has is not
 * read.
 */
sealed interface Expression {
    /** A whole number. */
    record Number(long value) implements Expression {}

    /** Text in quotes. */
    record Text(String value) implements Expression {}

    /** A name. */
    record Name(String name) implements Expression {}

    /** An operator such as {@code +} or {@code ==} between two. */
    record Binary(String operator, Expression left, Expression right) implements Expression {}

    /** A call; keyword arguments are left out. */
    record Call(Expression callee, List<Expression> arguments) implements Expression {}

    /** {@code value.name}. */
    record Member(Expression value, String name) implements Expression {}

    /** {@code value[index]}. */
    record Item(Expression value, Expression index) implements Expression {}

    /** @return the expression, or null if the text is none that is read */
    static Expression parse(String text) {
        try {
            Parser parser = new Parser(text);
            Expression expression = parser.comparison(0);
            return parser.atEnd() ? expression : null;
        } catch (IllegalArgumentException notRead) {
            return null;
        }
    }

    /** Reads a text from its front. */
    final class Parser {
        private static final int MAX_DEPTH = 200;
        private static final int MAX_PARTS = 2000;
        private static final String[] COMPARISONS = {"==", "!=", "<=", ">=", "<", ">"};

        private final String text;
        private int at;
        private int parts;

        Parser(String text) {
            this.text = text;
        }

        boolean atEnd() {
            space();
            return at == text.length();
        }

        Expression comparison(int depth) {
            Expression left = sum(depth);
            for (String operator : COMPARISONS) {
                if (take(operator)) {
                    return new Binary(operator, left, sum(depth));
                }
            }
            return left;
        }

        private Expression sum(int depth) {
            Expression left = product(depth);
            while (true) {
                if (take("+")) {
                    left = new Binary("+", left, product(depth));
                } else if (take("-")) {
                    left = new Binary("-", left, product(depth));
                } else {
                    return left;
                }
            }
        }

        private Expression product(int depth) {
            Expression left = factor(depth);
            while (true) {
                space();
                if (text.startsWith("**", at)) {
                    return left;
                }
                if (take("//")) {
                    left = new Binary("//", left, factor(depth));
                } else if (take("*")) {
                    left = new Binary("*", left, factor(depth));
                } else if (take("%")) {
                    left = new Binary("%", left, factor(depth));
                } else {
                    return left;
                }
            }
        }

        private Expression factor(int depth) {
            if (depth > MAX_DEPTH || ++parts > MAX_PARTS) {
                throw new IllegalArgumentException("depth");
            }
            if (take("-")) {
                return new Binary("-", new Number(0), factor(depth + 1));
            }
            Expression base = postfix(depth);
            return take("**") ? new Binary("**", base, factor(depth + 1)) : base;
        }

        private Expression postfix(int depth) {
            Expression value = primary(depth);
            while (true) {
                if (take("(")) {
                    value = new Call(value, arguments(depth));
                } else if (take("[")) {
                    Expression index = comparison(depth + 1);
                    require("]");
                    value = new Item(value, index);
                } else if (take(".")) {
                    String name = word();
                    value = new Member(value, name);
                } else {
                    return value;
                }
            }
        }

        private List<Expression> arguments(int depth) {
            List<Expression> arguments = new ArrayList<>();
            if (take(")")) {
                return arguments;
            }
            do {
                Expression argument = comparison(depth + 1);
                space();
                if (text.startsWith("=", at)) {
                    at++;
                    comparison(depth + 1);
                } else {
                    arguments.add(argument);
                }
            } while (take(","));
            require(")");
            return arguments;
        }

        private Expression primary(int depth) {
            space();
            if (take("(")) {
                Expression inner = comparison(depth + 1);
                require(")");
                return inner;
            }
            char next = at < text.length() ? text.charAt(at) : 0;
            if (next == '\'' || next == '"') {
                int end = text.indexOf(next, at + 1);
                if (end < 0) {
                    throw new IllegalArgumentException("text");
                }
                String inner = text.substring(at + 1, end);
                at = end + 1;
                return new Text(inner);
            }
            if (next >= '0' && next <= '9') {
                int start = at;
                while (at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9') {
                    at++;
                }
                return new Number(Long.parseLong(text.substring(start, at)));
            }
            return new Name(word());
        }

        private String word() {
            space();
            int start = at;
            while (at < text.length() && (Character.isLetterOrDigit(text.charAt(at)) || text.charAt(at) == '_')) {
                at++;
            }
            if (at == start) {
                throw new IllegalArgumentException("word");
            }
            return text.substring(start, at);
        }

        private boolean take(String token) {
            space();
            if (!text.startsWith(token, at)) {
                return false;
            }
            at += token.length();
            return true;
        }

        private void require(String token) {
            if (!take(token)) {
                throw new IllegalArgumentException(token);
            }
        }

        private void space() {
            while (at < text.length() && text.charAt(at) == ' ') {
                at++;
            }
        }
    }
}
