package org.torchnnapi.program.internal;

import java.util.List;
import org.torchnnapi.program.OpGraph;

/** What is done to a graph before its operations are compiled, in this order. */
public final class ProgramPasses {
    private static final List<Pass> ALL = List.of(
            new DeadValues(),
            new UnrolledRecurrences(),
            new DeadValues(),
            new FoldConstants(),
            new ConstantPlaces(),
            new NormPatternFusion(),
            new ActivationPatternFusion(),
            new TableFusion(),
            new TransposeFusion(),
            new SinkReshapes(),
            new AttentionFusion(),
            new DeadValues(),
            new FoldChannels(),
            new FoldPads(),
            new DeadValues(),
            new FoldActivations(),
            new FoldAddends(),
            new HardSwishFusion(),
            new FoldActivations(),
            new GlobalPoolFusion(),
            new InvertedResidualFusion(),
            new SplitK(),
            new SqueezeExciteFusion(),
            new WidenedMeans(),
            new Storages(),
            new DeadValues());

    private ProgramPasses() {}

    /** @param check called between passes; may throw to stop */
    public static MutableGraph run(OpGraph graph, Runnable check) {
        MutableGraph draft = new MutableGraph(graph);
        for (Pass pass : ALL) {
            check.run();
            pass.run(draft);
        }
        return draft;
    }
}
