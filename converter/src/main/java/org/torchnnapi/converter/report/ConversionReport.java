package org.torchnnapi.converter.report;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.nnapi.model.FeatureLevelNeed;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.Strings;

/**
 * What came of a conversion, for people ({@link #text()}) and programs ({@link #toMap()}).
 *
 * @param converted whether there is a converted model
 * @param inputs descriptions of the NNAPI model's inputs
 * @param outputs descriptions of its outputs
 * @param operations number of NNAPI operations by name, in order of first use
 * @param weightBytes size of the weights
 * @param coverage how much of the model NNAPI computes
 * @param need the release of NNAPI that the converted model needs, and why
 * @param levels what other releases would compute, if that was asked for
 * @param notes what the user should know
 * @param refusals every reason against the conversion, or against that of what stays TorchScript
 */
public record ConversionReport(
        boolean converted,
        List<String> inputs,
        List<String> outputs,
        Map<String, Integer> operations,
        long weightBytes,
        Coverage coverage,
        FeatureLevelNeed need,
        List<LevelCoverage> levels,
        List<String> notes,
        List<Refusal> refusals) {
    public ConversionReport {
        levels = List.copyOf(levels);
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
        operations = Collections.unmodifiableMap(new LinkedHashMap<>(operations));
        notes = List.copyOf(notes);
        refusals = List.copyOf(refusals);
    }

    /** Of a model that does not convert. */
    public static ConversionReport refused(List<Refusal> refusals, List<String> notes) {
        return new ConversionReport(
                false,
                List.of(),
                List.of(),
                Map.of(),
                0,
                Coverage.NONE,
                FeatureLevelNeed.NONE,
                List.of(),
                notes,
                refusals);
    }

    /** Several lines without a final newline; of refusals for one rule, how many and the first places. */
    public String text() {
        return text(Refusal.grouped(refusals));
    }

    /** As {@link #text()}, with each refusal in full. */
    public String fullText() {
        return text(refusals.stream().map(Refusal::text).collect(Streams.toList()));
    }

    private String text(List<String> reasons) {
        List<String> lines = new ArrayList<>();
        if (converted) {
            int count = operations.values().stream().mapToInt(Integer::intValue).sum();
            lines.add("converted: " + Strings.counted(count, "NNAPI operation") + ", " + weightBytes
                    + " bytes of weights");
            lines.add("  inputs: " + String.join("; ", inputs));
            lines.add("  outputs: " + String.join("; ", outputs));
            lines.add("  needs: " + Target.text(need.level()) + reason());
            operations.forEach((name, number) -> lines.add("  " + number + " x " + name));
        } else {
            lines.add("not converted: " + Strings.counted(reasons.size(), "reason"));
        }
        levels.forEach(level -> lines.add("  at " + level.text()));
        notes.forEach(note -> lines.add("  note: " + note));
        for (int i = 0; i < reasons.size(); i++) {
            lines.add("  " + (i + 1) + ". " + reasons.get(i));
        }
        return String.join("\n", lines);
    }

    /** The first of what needs the level; the map has them all. */
    private String reason() {
        int more = need.reasons().size() - 1;
        return more < 0 ? "" : ", as " + need.reasons().get(0) + (more == 0 ? "" : "; and " + more + " more");
    }

    /** The same as plain maps, lists, strings, numbers and booleans, ready for any JSON writer. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("converted", converted);
        map.put("inputs", inputs);
        map.put("outputs", outputs);
        map.put("operations", operations);
        map.put("weightBytes", weightBytes);
        map.put("coverage", coverage.toMap());
        map.put("featureLevel", need.level().toString());
        map.put("apiLevel", need.level().apiLevel());
        map.put("featureLevelReasons", need.reasons());
        map.put("levels", levels.stream().map(LevelCoverage::toMap).collect(Streams.toList()));
        map.put("notes", notes);
        map.put("refusals", refusals.stream().map(Refusal::toMap).collect(Streams.toList()));
        return map;
    }
}
