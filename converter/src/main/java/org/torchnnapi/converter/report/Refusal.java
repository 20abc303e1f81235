package org.torchnnapi.converter.report;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.ir.SourceRange;

/**
 * One reason why a model, or a part of it, was not converted.
 *
 * @param node node kind such as {@code aten::conv2d}, or {@code input 0} / {@code output 0} / {@code model}
 * @param where source of the node
 * @param operands what the node works on, for example {@code float32[1, 3, 8, 8] NHWC}
 * @param rule the rule that was broken
 * @param found what the model has
 * @param expected what the rule allows
 * @param advice what the user can do
 */
public record Refusal(
        String node,
        SourceRange where,
        List<String> operands,
        String rule,
        String found,
        String expected,
        String advice) {
    /** Places that a group of refusals names beside the first. */
    private static final int PLACES = 3;

    private static final int MAX_FOUND = 1000;

    private static final String EXPECTED = " (expected: ";

    public Refusal {
        operands = List.copyOf(operands);
        // What a model raised is part of a line here.
        found = Strings.beginning(found, MAX_FOUND).replace("\n", "\\n").replace("\r", "\\r");
    }

    /**
     * Of a whole model, because something failed.
     *
     * @param failure its message; where that says what it expected, in the form {@code value (expected: rule)}, that
     *     stands
     * @param expected otherwise
     */
    public static Refusal ofModel(String rule, String failure, String expected, String advice) {
        String message = String.valueOf(failure);
        int at = message.endsWith(")") ? message.lastIndexOf(EXPECTED) : -1;
        String found = at < 0 ? message : message.substring(0, at);
        return new Refusal(
                "model",
                SourceRange.NONE,
                List.of(),
                rule,
                found,
                at < 0 ? expected : message.substring(at + EXPECTED.length(), message.length() - 1),
                advice);
    }

    /** The same with more that was found, where that is, and what to do about it. */
    public Refusal and(String more, SourceRange place, String newAdvice) {
        return new Refusal(node, place, operands, rule, found + "; " + more, expected, newAdvice);
    }

    /** One paragraph: place, rule, found and expected, advice. */
    public String text() {
        StringBuilder out = new StringBuilder(node);
        if (!operands.isEmpty()) {
            out.append('(').append(String.join(", ", operands)).append(')');
        }
        if (where != SourceRange.NONE) {
            out.append(" at ").append(where);
        }
        out.append(": ")
                .append(rule)
                .append(": ")
                .append(found)
                .append(" (expected: ")
                .append(expected)
                .append(')');
        if (!advice.isEmpty()) {
            out.append("; ").append(advice);
        }
        return out.toString();
    }

    /**
     * One paragraph for each operator and rule, in the order of their first refusals: the first refusal in full, and
     * where there are more, how many and the next places.
     */
    static List<String> grouped(List<Refusal> refusals) {
        Map<List<String>, List<Refusal>> groups = new LinkedHashMap<>();
        for (Refusal refusal : refusals) {
            groups.computeIfAbsent(List.of(refusal.node(), refusal.rule()), key -> new ArrayList<>())
                    .add(refusal);
        }
        return groups.values().stream().map(Refusal::groupText).collect(Streams.toList());
    }

    private static String groupText(Collection<Refusal> group) {
        Refusal first = group.iterator().next();
        if (group.size() == 1) {
            return first.text();
        }
        List<String> others = group.stream()
                .map(refusal -> refusal.where().toString())
                .distinct()
                .skip(1)
                .collect(Streams.toList());
        String more = others.size() > PLACES ? ", .." : "";
        return first.text() + "; " + group.size() + " places"
                + (others.isEmpty()
                        ? ""
                        : ", also " + String.join(", ", others.subList(0, Math.min(PLACES, others.size()))) + more);
    }

    /** The same as plain maps, lists, strings and numbers, ready for any JSON writer. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("node", node);
        SourceRange.Python python = where.python();
        if (python != null) {
            map.put("file", python.file());
            map.put("line", python.line());
        }
        if (where.file() != null) {
            map.put("archiveFile", where.file());
            map.put("archiveLine", where.line());
        }
        map.put("operands", operands);
        map.put("rule", rule);
        map.put("found", found);
        map.put("expected", expected);
        map.put("advice", advice);
        return map;
    }

    @Override
    public String toString() {
        return text();
    }
}
