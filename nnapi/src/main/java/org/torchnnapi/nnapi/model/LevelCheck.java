package org.torchnnapi.nnapi.model;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * What of a model a feature level does not take, for reports: where {@link FeatureLevelNeed} says what the highest
 * level is asked for, this lists everything above a given one.
 *
 * @param level the level checked against
 * @param found each thing that came later, such as "HARD_SWISH came with NNAPI 1.3", with the number of times that it
 *     occurs
 * @param refused numbers of the operations that the level does not take, in the model's order
 */
public record LevelCheck(FeatureLevel level, Map<String, Integer> found, List<Integer> refused) {
    public LevelCheck {
        found = Collections.unmodifiableMap(new LinkedHashMap<>(found));
        refused = List.copyOf(refused);
    }

    /** What of a model a release of NNAPI has not. */
    public static LevelCheck of(Model model, FeatureLevel level) {
        Map<String, Integer> found = new LinkedHashMap<>();
        TreeSet<Integer> refused = new TreeSet<>();
        List<Operation> operations = model.operations();
        for (int i = 0; i < operations.size(); i++) {
            Operation operation = operations.get(i);
            FeatureLevelNeed need = ModelValidator.verdict(model, operation).need();
            if (!level.includes(need.level())) {
                need.reasons().forEach(reason -> found.merge(reason, 1, Integer::sum));
                refused.add(i);
            }
            for (int position = 0; position < operation.inputCount() + operation.outputCount(); position++) {
                int index = position < operation.inputCount()
                        ? operation.input(position)
                        : operation.output(position - operation.inputCount());
                if (!level.includes(model.operand(index).type().since())) {
                    refused.add(i);
                }
            }
        }
        for (Operand operand : model.operands()) {
            if (!level.includes(operand.type().since())) {
                found.merge(
                        "operands of type " + operand.type() + " came with "
                                + operand.type().since(),
                        1,
                        Integer::sum);
            }
            if (!level.includes(FeatureLevel.V1_2) && ModelValidator.isOpen(operand)) {
                found.merge("unknown dimensions came with " + FeatureLevel.V1_2, 1, Integer::sum);
            }
            if (operand.referenced() != null) {
                of(operand.referenced(), level)
                        .found()
                        .forEach((what, count) -> found.merge(what, count, Integer::sum));
            }
        }
        return new LevelCheck(level, found, List.copyOf(refused));
    }

    /** Whether the level takes the model. */
    public boolean passes() {
        return found.isEmpty();
    }

    /** Everything found, as one line: {@code "2 x HARD_SWISH came with NNAPI 1.3; .."}. */
    public String text() {
        StringBuilder out = new StringBuilder();
        found.forEach((what, count) -> out.append(out.length() == 0 ? "" : "; ")
                .append(count)
                .append(" x ")
                .append(what));
        return out.toString();
    }
}
