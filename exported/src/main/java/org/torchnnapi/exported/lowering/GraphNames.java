package org.torchnnapi.exported.lowering;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.torchscript.ir.Identifiers;

/** The names in one graph, each of which is another. */
final class GraphNames {
    /** Names that the Python of a graph has other uses for. */
    private static final Set<String> TAKEN = Set.of("torch", "device", "inf", "nan", "self", "math", "operator");

    private final Set<String> names = new HashSet<>();
    private int parts;

    String unused(String wanted) {
        String name = TAKEN.contains(wanted) || Identifiers.isKeyword(wanted) ? wanted + "_1" : wanted;
        for (int i = 2; !names.add(name); i++) {
            name = wanted + "_" + i;
        }
        return name;
    }

    /** Names calls, what they give, and what is in graphs that they take. */
    void name(List<RecordedCall> calls) {
        Map<String, Integer> counts = new HashMap<>();
        for (RecordedCall call : calls) {
            String name = unused(call.operator() + "_" + counts.merge(call.operator(), 1, Integer::sum));
            call.name(name);
            if (call.number() != null) {
                call.number().name(name);
            }
            boolean single = call.isSingle();
            call.eachResult(tensor -> tensor.name(single ? name : unused(name + "_" + parts++)));
            call.eachGraph(graph -> graph.name(graph.kind() + "_" + (counts.merge(graph.kind(), 1, Integer::sum) - 1)));
        }
    }
}
