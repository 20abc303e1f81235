package org.torchnnapi.exported.lowering;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Set;
import org.torchnnapi.tensor.Storage;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.ir.Type;

/** Attributes that a run set to other tensors, as copies into those that a program has. */
final class AttributeWrites {
    private AttributeWrites() {}

    /** Copies values into attributes at the end, each of what it was before any of these. */
    static void add(ProgramRecorder recorder, List<NamedTensors.Assigned> assigned, List<Tensor> outputs) {
        if (assigned.isEmpty()) {
            return;
        }
        Set<Storage> targets = Collections.newSetFromMap(new IdentityHashMap<>());
        assigned.forEach(one -> targets.add(recorder.dependence().root(one.old())));
        for (Tensor output : outputs) {
            if (targets.contains(recorder.dependence().root(output))) {
                recorder.copied(output);
            }
        }
        List<GraphTensor> sources = new ArrayList<>();
        for (NamedTensors.Assigned one : assigned) {
            boolean same = Arrays.equals(one.old().sizes(), one.now().sizes())
                    && one.old().dtype() == one.now().dtype();
            if (!same) {
                recorder.problem(
                        one.attribute().path(),
                        SourceRange.NONE,
                        "an attribute that a call gives another size or type");
            }
            boolean copies = targets.contains(recorder.dependence().root(one.now()));
            sources.add(copies ? recorder.copied(one.now()) : recorder.named(one.now()));
        }
        for (int i = 0; i < sources.size(); i++) {
            RecordedCall call = new RecordedCall(
                    "aten.copy_.default",
                    List.of(ProgramRecorder.SELF, FunctionSchema.Argument.of("src", Type.Basic.TENSOR)),
                    List.of(assigned.get(i).attribute(), sources.get(i)),
                    SourceRange.NONE,
                    true);
            recorder.calls().add(call);
            call.results(List.of(GraphTensor.of(
                    GraphTensor.Origin.RESULT, "", assigned.get(i).old())));
        }
    }
}
