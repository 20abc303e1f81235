package org.torchnnapi.torchscript.print;

import java.util.function.Consumer;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;

/**
 * One record of source being written: its text, its names, and where to tell what the text needs from other records.
 */
final class PrintedFile {
    private final MarkedText text = new MarkedText();
    private final NameTable names = new NameTable();
    private final LiteralPrinter literals;
    private final Consumer<Object> needed;
    private final Consumer<Node> operators;

    /**
     * @param needed takes the named types and functions that the text mentions
     * @param operators takes the operators it calls
     */
    PrintedFile(ConstantTable constants, Consumer<Object> needed, Consumer<Node> operators) {
        this.needed = needed;
        this.operators = operators;
        literals = new LiteralPrinter(constants, this::type);
    }

    MarkedText text() {
        return text;
    }

    NameTable names() {
        return names;
    }

    LiteralPrinter literals() {
        return literals;
    }

    /** A type as it is written. */
    String type(Type type) {
        needed.accept(type);
        return type.text();
    }

    /** A function as it is written where it is called. */
    String function(Function function) {
        needed.accept(function);
        return function.qualifiedName();
    }

    void operator(Node node) {
        operators.accept(node);
    }
}
