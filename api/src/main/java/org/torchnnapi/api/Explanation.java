package org.torchnnapi.api;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.nnapi.runtime.Placement;

/**
 * Where a model runs, and why: of each NNAPI operation the device, the others with their reasons and estimated costs in
 * microseconds, and what every hand-over between devices costs; of what stays on the CPU, what is compiled into
 * programs and what is interpreted. Immutable.
 *
 * @param placements one for each NNAPI model that ran and each input shape it ran with
 * @param programs how methods on the CPU run, lines for people
 * @param interpreted what of them is not compiled: a reason and its line of Python each
 */
public record Explanation(List<Placement> placements, List<String> programs, List<String> interpreted) {
    /** Copies the lists. */
    public Explanation {
        placements = List.copyOf(placements);
        programs = List.copyOf(programs);
        interpreted = List.copyOf(interpreted);
    }

    /**
     * Runs {@code forward} once, as only then all shapes are known, and explains that run and those before.
     *
     * @param inputs runtime values, such as {@link org.torchnnapi.tensor.Tensor}s
     * @throws IllegalArgumentException if the inputs do not fit
     * @throws org.torchnnapi.engine.ModelException if the model fails as it runs
     */
    public static Explanation of(LoadedModel model, Object... inputs) {
        model.call("forward", inputs);
        return new Explanation(
                model.placements(),
                model.module().describeSpecialisations(),
                model.module().interpretedParts());
    }

    /** For people, lines that each end with a newline. */
    public String toText() {
        StringBuilder text = new StringBuilder();
        placements.forEach(placement -> text.append(placement.toText()));
        if (placements.isEmpty()) {
            programs.forEach(line -> text.append(line).append('\n'));
        }
        interpreted.forEach(line -> text.append("not compiled: ").append(line).append('\n'));
        return text.toString();
    }

    /** The same as maps, lists, strings and numbers, ready for any JSON writer. */
    public Map<String, Object> toMap() {
        Map<String, Object> map = new LinkedHashMap<>();
        List<Object> all = new ArrayList<>();
        placements.forEach(placement -> all.add(placement.toMap()));
        map.put("placements", all);
        map.put("programs", programs);
        map.put("notCompiled", interpreted);
        return map;
    }
}
