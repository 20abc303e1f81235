package org.torchnnapi.nnapi.runtime;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.tensor.platform.Streams;

/**
 * What a user allows and denies. Rules are asked in order and the last that fits decides; without one everything is
 * allowed. In patterns {@code *} stands for any text. An operation is called by its type, {@code CONV_2D}, and by type
 * and number, {@code CONV_2D#17}.
 */
public final class PlacementRules {
    /** Nothing is denied. */
    public static final PlacementRules NONE = new PlacementRules(List.of());

    private record Rule(boolean allow, Pattern device, Pattern operation, String text) {
        /** What a device that was not chosen says when this rule kept an operation from it. */
        Problem problem() {
            return new Problem("placement", "denied by rule \"" + text + "\"", "allowed");
        }
    }

    private final List<Rule> rules;

    private PlacementRules(List<Rule> rules) {
        this.rules = rules;
    }

    private PlacementRules with(Rule rule) {
        List<Rule> more = new ArrayList<>(rules);
        more.add(rule);
        return new PlacementRules(List.copyOf(more));
    }

    /** Denies devices operations, each named by a pattern. */
    public PlacementRules deny(String devicePattern, String operationPattern) {
        return with(new Rule(
                false, glob(devicePattern), glob(operationPattern), "deny " + devicePattern + " " + operationPattern));
    }

    /** Allows again what an earlier rule denied. */
    public PlacementRules allow(String devicePattern, String operationPattern) {
        return with(new Rule(
                true, glob(devicePattern), glob(operationPattern), "allow " + devicePattern + " " + operationPattern));
    }

    /** Denies every device but those of the pattern. */
    public PlacementRules only(String devicePattern) {
        return deny("*", "*").allow(devicePattern, "*");
    }

    /** Which rule denies a device an operation, or null. */
    Problem denial(Device device, OperationType operation, int number) {
        for (int i = rules.size() - 1; i >= 0; i--) {
            Rule rule = rules.get(i);
            if (rule.device.matcher(device.name()).matches()
                    && (rule.operation.matcher(operation.name()).matches()
                            || rule.operation
                                    .matcher(operation.name() + "#" + number)
                                    .matches())) {
                return rule.allow ? null : rule.problem();
            }
        }
        return null;
    }

    /**
     * The denying rules, as texts, that kept no operation from any device: their patterns fit nothing, or later rules
     * decided.
     *
     * @param placements made by these rules; the models they refer to count too
     */
    public List<String> withoutEffect(List<Placement> placements) {
        Set<Problem> problems =
                placements.stream().flatMap(PlacementRules::problems).collect(Collectors.toSet());
        return rules.stream()
                .filter(rule -> !rule.allow && !problems.contains(rule.problem()))
                .map(Rule::text)
                .collect(Streams.toList());
    }

    private static Stream<Problem> problems(Placement placement) {
        return Stream.concat(
                placement.operations().stream()
                        .flatMap(operation -> operation.others().stream())
                        .map(Placement.Alternative::refusal),
                placement.referenced().stream()
                        .map(Placement.Referenced::placement)
                        .flatMap(PlacementRules::problems));
    }

    boolean isEmpty() {
        return rules.isEmpty();
    }

    private static Pattern glob(String text) {
        StringBuilder regex = new StringBuilder();
        for (String literal : text.split("\\*", -1)) {
            regex.append(regex.length() == 0 ? "" : ".*").append(literal.isEmpty() ? "(?:)" : Pattern.quote(literal));
        }
        return Pattern.compile(regex.toString());
    }
}
