package org.torchnnapi.converter.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.torchscript.ir.SourceRange;

/**
 * One reason why a model, or a part of it, was not converted.
 *
 * @param node     node kind such as {@code aten::conv2d}, or {@code input 0} / {@code output 0} / {@code model}
 * @param where    source of the node
 * @param operands what the node works on, for example {@code float32[1, 3, 8, 8] NHWC}
 * @param rule     the rule that was broken
 * @param found    what the model has
 * @param expected what the rule allows
 * @param advice   what the user can do
 */
public record Refusal(String node, SourceRange where, List<String> operands, String rule, String found, String expected,
                      String advice) {
    public Refusal {
        operands = List.copyOf(operands);
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
        out.append(": ").append(rule).append(": ").append(found).append(" (expected: ").append(expected).append(')');
        if (!advice.isEmpty()) {
            out.append("; ").append(advice);
        }
        return out.toString();
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
