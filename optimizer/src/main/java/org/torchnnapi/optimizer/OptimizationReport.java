package org.torchnnapi.optimizer;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.platform.Strings;

/**
 * What was done to a model.
 *
 * @param methods names of those that were optimized
 * @param kept names of those that were written as they were
 * @param nodesBefore nodes of the optimized methods with all calls inlined
 * @param nodesAfter what is left of them
 * @param folded batch normalizations that convolutions took in
 * @param dropouts dropouts removed
 * @param convolutions convolutions that are packed ahead of time
 * @param linears linear layers that are packed ahead of time
 * @param clamps activations that packed operators took in
 * @param notPacked convolutions and linear layers that stay as they are, with the reason
 * @param notes further remarks
 */
public record OptimizationReport(
        List<String> methods,
        List<String> kept,
        int nodesBefore,
        int nodesAfter,
        int folded,
        int dropouts,
        int convolutions,
        int linears,
        int clamps,
        List<String> notPacked,
        List<String> notes) {
    /** For people, a line for each thing. */
    public String text() {
        StringBuilder text = new StringBuilder("optimized ")
                .append(String.join(", ", methods))
                .append(": ")
                .append(nodesBefore)
                .append(" nodes, now ")
                .append(nodesAfter)
                .append('\n');
        line(text, folded, "batch normalization", "folded into convolutions");
        line(text, dropouts, "dropout", "removed");
        line(text, convolutions, "convolution", "packed, for batches of images alone in PyTorch");
        line(text, linears, "linear layer", "packed");
        line(text, clamps, "activation", "taken into packed operators");
        if (!kept.isEmpty()) {
            text.append("  kept as they were: ").append(String.join(", ", kept)).append('\n');
        }
        notPacked.forEach(reason -> text.append("  not packed: ").append(reason).append('\n'));
        notes.forEach(note -> text.append("  note: ").append(note).append('\n'));
        return Strings.stripEnd(text.toString());
    }

    private static void line(StringBuilder text, int count, String what, String became) {
        if (count > 0) {
            text.append("  ")
                    .append(count)
                    .append(' ')
                    .append(what)
                    .append(count == 1 ? " " : "s ")
                    .append(became)
                    .append('\n');
        }
    }

    /** For programs. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("methods", methods);
        map.put("kept", kept);
        map.put("nodesBefore", nodesBefore);
        map.put("nodesAfter", nodesAfter);
        map.put("batchNormsFolded", folded);
        map.put("dropoutsRemoved", dropouts);
        map.put("convolutionsPacked", convolutions);
        map.put("linearsPacked", linears);
        map.put("clampsFused", clamps);
        map.put("notPacked", notPacked);
        map.put("notes", notes);
        return map;
    }

    /** The same with one more note. */
    public OptimizationReport withNote(String note) {
        List<String> all = new ArrayList<>(notes);
        all.add(note);
        return new OptimizationReport(
                methods,
                kept,
                nodesBefore,
                nodesAfter,
                folded,
                dropouts,
                convolutions,
                linears,
                clamps,
                notPacked,
                all);
    }
}
