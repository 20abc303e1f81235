package org.torchnnapi.converter.partition;

import java.util.List;
import org.torchnnapi.converter.report.Coverage;
import org.torchnnapi.converter.report.LevelCoverage;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * What a {@link ConversionPipeline} makes of a method.
 *
 * @param module the converted module, or null
 * @param segments its NNAPI models
 * @param coverage how much of the model they compute
 * @param levels what the releases of NNAPI would compute, if that was asked for
 * @param whole null unless NNAPI computes all of the model
 * @param refusals why the rest stays TorchScript, or why there is no module: where there is neither, there is nothing
 *     to compute
 * @param unpaid whether NNAPI could compute products that do not pay
 * @param checked what the file checks of whole numbers that enter NNAPI, in words
 */
public record ConvertedMethod(
        ScriptObject module,
        List<LoweredSegment> segments,
        Coverage coverage,
        List<LevelCoverage> levels,
        WholeModel whole,
        List<Refusal> refusals,
        boolean unpaid,
        List<String> checked) {
    static final String MUST_RUN = "the model must run on inputs of these shapes";

    /** Of what was measured, and emitted where there are segments. */
    static ConvertedMethod of(ConversionState state) {
        return of(
                state,
                state.get(PassResult.MODULE),
                state.get(PassResult.PARTITION).segments(),
                state.get(PassResult.WHOLE));
    }

    /** The same where something else was emitted. */
    static ConvertedMethod of(
            ConversionState state, ScriptObject module, List<LoweredSegment> segments, WholeModel whole) {
        GraphPartition partition = state.get(PassResult.PARTITION);
        return new ConvertedMethod(
                module,
                segments,
                state.get(PassResult.COVERAGE),
                state.get(PassResult.LEVELS),
                whole,
                partition.refusals(),
                partition.unpaid(),
                state.get(PassResult.CHECKED));
    }

    static ConvertedMethod refused(Refusal refusal) {
        return new ConvertedMethod(null, List.of(), Coverage.NONE, List.of(), null, List.of(refusal), false, List.of());
    }

    /** Whether the model ran on the samples. */
    public boolean ran() {
        return refusals.stream().noneMatch(refusal -> refusal.rule().equals(MUST_RUN));
    }
}
