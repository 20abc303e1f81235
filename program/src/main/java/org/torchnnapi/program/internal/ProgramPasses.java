package org.torchnnapi.program.internal;

import java.util.List;
import org.torchnnapi.program.OpGraph;

/** What is done to a graph before its operations are compiled, in this order. */
public final class ProgramPasses {
    private static final List<Pass> ALL = List.of(new DeadValues(), new UnrolledRecurrences(), new DeadValues(), new FoldConstants(), new ConstantPlaces(),
            new WrittenNorms(), new WrittenErrorFunctions(), new MergedTurns(), new DeadValues(), new FoldChannels(), new FoldPads(), new DeadValues(),
            new FoldActivations(), new FoldAddends(), new HardSwishes(), new FoldActivations(), new GlobalPools(), new Chains(), new Halves(),
            new Excitations(), new WidenedMeans(), new Storages(), new DeadValues());

    private ProgramPasses() {
    }

    /** @param check called between passes; may throw to stop */
    public static Draft run(OpGraph graph, Runnable check) {
        Draft draft = new Draft(graph);
        for (Pass pass : ALL) {
            check.run();
            pass.run(draft);
        }
        return draft;
    }
}
