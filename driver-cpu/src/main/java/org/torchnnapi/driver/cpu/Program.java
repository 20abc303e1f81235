package org.torchnnapi.driver.cpu;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.nnapi.driver.ExecutionControl;
import org.torchnnapi.nnapi.driver.StaticShapes;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;

/** A model compiled to a flat list of steps over one planned memory. Shared by all its executions. */
record Program(Model model, Places places, List<Step> steps) {
    /** @throws NnapiException if an operation is refused, or BAD_DATA if the declared shapes are not those that follow from the model */
    static Program compile(Model model, ExecutionControl control) {
        checkShapes(model);
        List<Work> works = Fusion.works(model);
        Places places = Places.plan(model, works);
        List<Step> steps = new ArrayList<>(works.size());
        for (Work work : works) {
            control.check();
            try {
                steps.add(work.compile(places));
            } catch (IllegalArgumentException e) {
                throw new NnapiException(ResultCode.OP_FAILED, work.site().operation().type() + ": " + e.getMessage(), e);
            }
        }
        return new Program(model, places, List.copyOf(steps));
    }

    private static void checkShapes(Model model) {
        int[][] shapes = StaticShapes.of(model);
        for (int i = 0; i < shapes.length; i++) {
            if (model.operand(i).type().isTensor() && shapes[i] != null
                    && !Arrays.equals(shapes[i], model.operand(i).descriptor().dimensions())) {
                throw new NnapiException(ResultCode.BAD_DATA, "operand " + i + ": " + model.operand(i).descriptor() + " (expected: "
                        + Arrays.toString(shapes[i]) + ")");
            }
        }
    }
}
