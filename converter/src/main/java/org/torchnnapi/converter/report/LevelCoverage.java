package org.torchnnapi.converter.report;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.tensor.platform.Strings;

/**
 * What a release of NNAPI would compute of a model.
 *
 * @param lacking how many calls of which operators stay TorchScript
 */
public record LevelCoverage(FeatureLevel level, Coverage coverage, Map<String, Integer> lacking) {
    public LevelCoverage {
        lacking = Collections.unmodifiableMap(new TreeMap<>(lacking));
    }

    /**
     * For example {@code NNAPI 1.1 (Android 9, API level 28): 98 of 100 operators, 99.1% of the multiply-adds, 2
     * segments; lacks 2 x aten::hardswish}.
     */
    String text() {
        StringBuilder out = new StringBuilder(String.format(
                Locale.ROOT,
                "%s: %d of %d operators, %.1f%% of the multiply-adds, %s",
                Target.text(level),
                coverage.operators(),
                coverage.allOperators(),
                100 * coverage.share(),
                Strings.counted(coverage.segments(), "segment")));
        String separator = "; lacks ";
        for (Map.Entry<String, Integer> entry : lacking.entrySet()) {
            out.append(separator).append(entry.getValue()).append(" x ").append(entry.getKey());
            separator = ", ";
        }
        return out.toString();
    }

    Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("level", level.toString());
        map.put("apiLevel", level.apiLevel());
        map.put("coverage", coverage.toMap());
        map.put("lacking", lacking);
        return map;
    }
}
