package org.torchnnapi.torchscript.source;

import java.util.HashSet;
import java.util.Set;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.ir.Value;

/**
 * The first method with a text, as seen by one of another class whose text is the same.
 *
 * @param first the first method
 * @param self the other class
 * @param text of the other class's method
 */
record MethodTwin(Function first, ClassType self, FunctionText text) implements Function.Twin {
    /** One does the same on the other's objects if all it knows of its object is what both classes have alike. */
    @Override
    public Function find() {
        ClassType owner = owner(first);
        if (owner == null
                || owner.kind() != self.kind()
                || !owner.attributes().equals(self.attributes())
                || !owner.constants().isEmpty()
                || !self.constants().isEmpty()) {
            return null;
        }
        try {
            return usesAlike(first, owner, new HashSet<>()) ? first : null;
        } catch (SourceException e) {
            // Whoever asks for the graph is told.
            return null;
        }
    }

    private static ClassType owner(Function method) {
        return method.schema().arguments().get(0).type() instanceof ClassType owner ? owner : null;
    }

    /** @param seen names of methods that were asked about already, which may call each other */
    private boolean usesAlike(Function method, ClassType owner, Set<String> seen) {
        Graph graph = method.graph();
        for (Value.Use use : graph.inputs().get(0).uses()) {
            Node user = use.user();
            boolean alike = use.index() == 0
                    && (user.is(Prim.GET_ATTR)
                            || user.is(Prim.SET_ATTR)
                            || user.is(Prim.CALL_METHOD) && callsAlike((String) user.attribute("name"), owner, seen));
            if (!alike) {
                return false;
            }
        }
        return true;
    }

    private boolean callsAlike(String name, ClassType owner, Set<String> seen) {
        if (!seen.add(name)) {
            return true;
        }
        Function theirs = owner.method(name);
        Function ours = self.method(name);
        return theirs != null
                && ours != null
                && firstOf(theirs) == firstOf(ours)
                && theirs.hasBody()
                && usesAlike(theirs, owner, seen);
    }

    private static Function firstOf(Function method) {
        return method.twin() instanceof MethodTwin twin ? twin.first : method;
    }

    @Override
    public SourceRange moved(SourceRange range) {
        FunctionText origin = text.first();
        return range.moved(text.source().entry(), text.at().line() - origin.at().line(), text.end() - origin.end());
    }
}
