package org.torchnnapi.torchscript.source;

import java.util.ArrayDeque;
import java.util.List;
import org.torchnnapi.torchscript.format.ReadBudget;

/**
 * Splits source text into tokens, some at a time; indentation becomes INDENT and DEDENT, line breaks inside brackets
 * vanish. Bodies of functions can be passed over.
 */
final class Lexer {
    private static final int MAX_LENGTH = 64 << 20;
    private static final int MAX_INDENTS = 256;
    /** So that a long line is read piece by piece. */
    private static final int TOKENS_AT_ONCE = 256;

    private final TextScanner in;
    private final ArrayDeque<Integer> indents = new ArrayDeque<>();
    private boolean lineBegins;
    private int dedents;

    /** Of a whole file. */
    Lexer(SourceText source) {
        this(new TextScanner(source, Position.START, source.text().length()), 0);
        lineBegins = true;
        if (in.end() > MAX_LENGTH) {
            throw in.error(Position.START, in.end() + " characters", "at most " + MAX_LENGTH);
        }
    }

    private Lexer(TextScanner in, int indent) {
        this.in = in;
        indents.push(indent);
    }

    /** Of a function that was passed over. */
    static Lexer of(FunctionText function) {
        return new Lexer(new TextScanner(function.source(), function.at(), function.end()), function.indent());
    }

    /** Of a type that was passed over. */
    static Lexer of(Tree.Annotation annotation) {
        return new Lexer(new TextScanner(annotation.source(), annotation.at(), annotation.end()), 0);
    }

    SourceText source() {
        return in.source();
    }

    boolean isInBrackets() {
        return in.brackets() > 0;
    }

    /**
     * Adds the next tokens, at most some hundred: as far as they are of one line, and not behind where text may be
     * passed over. END again and again behind the last one. A call for each token would be so many that the virtual
     * machine optimises all this for a tenth of the whole start.
     */
    void next(List<Token> tokens) {
        read(tokens);
        in.source().budget().charge(in.source().entry(), "tokens", tokens.size(), ReadBudget.TOKEN_BYTES);
    }

    private void read(List<Token> tokens) {
        boolean isNamed = false;
        while (dedents == 0 && !in.isAtEnd()) {
            if (tokens.size() >= TOKENS_AT_ONCE && !isNamed) {
                return;
            }
            if (lineBegins && in.brackets() == 0) {
                int width = in.indentation();
                if (width < 0) {
                    continue;
                }
                lineBegins = false;
                if (width != indents.peek()) {
                    tokens.add(indented(width));
                    return;
                }
            }
            in.skipBlanks();
            if (in.isAtEnd()) {
                break;
            }
            byte c = in.code();
            if (c == '\n') {
                Token end = layout(Token.Kind.NEWLINE);
                in.newLine();
                if (in.brackets() == 0) {
                    lineBegins = true;
                    tokens.add(end);
                    return;
                }
            } else if (c == '#') {
                in.skipToLineEnd();
            } else if (CharacterKinds.isNameStart(c)) {
                Position start = in.position();
                in.skipName();
                String name = in.textFrom(start.offset());
                tokens.add(new Token(Token.Kind.NAME, name, start));
                if (isNamed) {
                    return;
                }
                isNamed = name.equals("def") || name.equals("class");
            } else if (CharacterKinds.isSymbol(c) && !(c == '.' && in.isDigit(1))) {
                if (symbol(c, tokens)) {
                    return;
                }
            } else {
                tokens.add(literal(c));
            }
        }
        tokens.add(atEnd());
    }

    /** Adds a symbol; returns whether a type may stand behind it. */
    private boolean symbol(byte c, List<Token> tokens) {
        Position start = in.position();
        boolean isArrow = c == '-' && in.is('>', 1);
        if (isArrow) {
            in.skip(2);
        } else {
            in.skipBracket(c);
        }
        tokens.add(new Token(Token.Kind.SYMBOL, isArrow ? "->" : CharacterKinds.symbol(c), start));
        return isArrow || c == ':' || c == '=';
    }

    private Token atEnd() {
        if (dedents > 0) {
            dedents--;
            return layout(Token.Kind.DEDENT);
        }
        if (!lineBegins) {
            lineBegins = true;
            return layout(Token.Kind.NEWLINE);
        }
        if (indents.size() > 1) {
            indents.pop();
            return layout(Token.Kind.DEDENT);
        }
        return layout(Token.Kind.END);
    }

    private Token layout(Token.Kind kind) {
        return new Token(kind, "", in.position());
    }

    private Token indented(int width) {
        if (width > indents.peek()) {
            if (indents.size() > MAX_INDENTS) {
                throw in.error(in.position(), "indentation of " + indents.size() + " levels", "at most " + MAX_INDENTS);
            }
            indents.push(width);
            return layout(Token.Kind.INDENT);
        }
        while (width < indents.peek() && indents.size() > 1) {
            indents.pop();
            dedents++;
        }
        if (width != indents.peek()) {
            throw in.error(
                    in.position(),
                    "indentation of " + width + " columns",
                    "that of an enclosing block, " + indents.peek());
        }
        dedents--;
        return layout(Token.Kind.DEDENT);
    }

    /**
     * Passes over the rest of a function's first line and all lines behind it that are deeper indented than that one.
     *
     * @param twin a function that may have the same text, or null
     */
    FunctionText skipFunction(Position start, FunctionText twin) {
        int indent = indents.peek();
        FunctionText same = twin == null || isInBrackets() ? null : twin.twin(in.source(), start, in.end(), indent);
        lineBegins = true;
        if (same != null) {
            in.jump(same.end(), start.line() + same.lines() - in.line());
            return same;
        }
        in.skipLine();
        while (!in.isAtEnd()) {
            Position line = in.position();
            int width = in.indentation();
            if (width >= 0 && width <= indent) {
                in.jump(line.offset(), 0);
                break;
            }
            if (width >= 0) {
                in.skipLine();
            }
        }
        return FunctionText.of(in.source(), start, in.offset(), in.line() - start.line(), indent);
    }

    /** Passes over a class up to its first method, if that is the same text as another's. */
    boolean skipHeader(Position start, ClassHeader twin) {
        if (isInBrackets() || !twin.stands(in.source(), start.offset(), in.end())) {
            return false;
        }
        in.jump(start.offset() + twin.length(), start.line() + twin.lines() - in.line());
        lineBegins = true;
        return true;
    }

    /** Passes over a type: up to what cannot be in one outside its brackets. */
    Tree.Annotation annotation() {
        in.skipBlanks();
        Position start = in.position();
        int outside = in.brackets();
        int last = in.offset();
        while (!in.isAtEnd()) {
            byte c = in.code();
            if (in.brackets() == outside && endsType(c) || c == '\n' && in.brackets() == 0) {
                break;
            }
            if (c == '\n') {
                in.newLine();
            } else if (c == '"' || c == '\'') {
                in.skipString(c);
                last = in.offset();
            } else {
                in.skipBracket(c);
                last = CharacterKinds.isBlank(c) ? last : in.offset();
            }
        }
        return new Tree.Annotation(in.source(), start, last);
    }

    private static boolean endsType(byte c) {
        return c == ',' || c == '=' || c == ':' || c == ')' || c == ']' || c == '}' || c == '#';
    }

    private Token literal(byte c) {
        if (CharacterKinds.isDigit(c) || c == '.') {
            return LiteralTokens.number(in);
        }
        if (c == '"' || c == '\'') {
            return LiteralTokens.string(in);
        }
        Position start = in.position();
        char shown = in.source().text().charAt(start.offset());
        throw in.error(
                start,
                shown < 0x20 || shown > 0x7e ? String.format("character U+%04X", (int) shown) : "'" + shown + "'",
                "TorchScript source");
    }
}
