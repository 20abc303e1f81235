package org.torchnnapi.operators;

import java.util.stream.Stream;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Graph;

/**
 * What is defined beside operators: the way back from a view, one view of a list, and what is done to the parts of
 * complex numbers. They are composites of namespaces of their own, which no file can name.
 */
public final class OperatorForms {
    private static final String INVERSE = "inverse::";
    private static final String ITEM = "item::";
    private static final String COMPLEX = "complex::";

    private OperatorForms() {}

    /** Whether a name is that of such a form, and not of an operator. */
    public static boolean includes(String name) {
        return Stream.of(INVERSE, ITEM, COMPLEX).anyMatch(name::startsWith);
    }

    static String inverse(String fullName) {
        return named(INVERSE, fullName);
    }

    static String item(String fullName) {
        return named(ITEM, fullName);
    }

    static String complex(String fullName) {
        return named(COMPLEX, fullName);
    }

    /**
     * The way back from a view: a function of the viewed tensor, the one that the view is to be, and the view's other
     * arguments. Null where there is none. Shared and not to be changed.
     */
    public static Graph inverse(FunctionSchema view) {
        return graph(INVERSE, view);
    }

    /** Whether a view shows all elements of what it is a view of: the way back needs nothing of that. */
    public static boolean showsAll(FunctionSchema view) {
        Graph back = inverse(view);
        return back != null && !back.inputs().get(0).isUsed();
    }

    /**
     * One item of an operator that lists views: a function of its arguments and the item's number. Null where there is
     * none. Shared and not to be changed.
     */
    public static Graph item(FunctionSchema views) {
        return graph(ITEM, views);
    }

    /**
     * An operator that takes or gives complex numbers, in operators of their real and imaginary parts: a function of
     * its arguments. Where it cannot be said so, it calls the operator. Null where there is none. Shared and not to be
     * changed.
     */
    public static Graph complex(FunctionSchema operator) {
        return graph(COMPLEX, operator);
    }

    private static Graph graph(String namespace, FunctionSchema schema) {
        Operator operator = OperatorRegistry.standard().find(named(namespace, schema.fullName()));
        return operator == null ? null : operator.decomposition().graph();
    }

    private static String named(String namespace, String fullName) {
        return namespace + fullName.substring(fullName.indexOf("::") + 2);
    }
}
