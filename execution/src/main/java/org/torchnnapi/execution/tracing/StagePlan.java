package org.torchnnapi.execution.tracing;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.execution.interp.NodeCall;
import org.torchnnapi.execution.tracing.Recording.Call;
import org.torchnnapi.execution.tracing.Recording.Called;
import org.torchnnapi.execution.tracing.Recording.Computed;
import org.torchnnapi.execution.tracing.Recording.Constant;
import org.torchnnapi.execution.tracing.Recording.Placed;
import org.torchnnapi.operators.support.Elements;
import org.torchnnapi.program.Element;
import org.torchnnapi.program.GraphBuilder;
import org.torchnnapi.program.ImageStorage;
import org.torchnnapi.program.Program;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;

/**
 * Divides a recording into programs and calls. A value's level is how many programs have to run before the one that
 * makes it; calls of a level run before its program. So a program is as large as the calls between allow.
 */
final class StagePlan {
    private final Recording recording;
    private final boolean[] needed;
    private final int[] levels;
    /** Values that are read as tensors, and how they are to lie. */
    private final Map<Integer, TensorGeometry> wanted = new HashMap<>();

    private StagePlan(Recording recording) {
        this.recording = recording;
        this.needed = new boolean[recording.size()];
        this.levels = new int[recording.size()];
    }

    /**
     * @param results the tensors that the method gives
     * @throws NotSpecialisedException if there is nothing for a program to do
     */
    static List<CompiledStages.Stage> stages(Recording recording, List<Placed> results, Runnable check) {
        StagePlan plan = new StagePlan(recording);
        plan.need(results);
        plan.level();
        return plan.compile(check);
    }

    private void need(List<Placed> results) {
        results.forEach(this::want);
        // Calls were tried on zeros: where only the sizes of their results are used, the calls are what tells whether
        // elements give others.
        for (int value = 0; value < needed.length; value++) {
            needed[value] |= recording.origin(value) instanceof Called;
        }
        for (int value = recording.size() - 1; value >= 0; value--) {
            if (!needed[value]) {
                continue;
            }
            if (recording.origin(value) instanceof Computed computed) {
                for (int input : computed.inputs()) {
                    needed[input] = true;
                }
            } else if (recording.origin(value) instanceof Called called) {
                placed(called.call()).forEach(this::want);
            }
        }
    }

    private void want(Placed placed) {
        needed[placed.value()] = true;
        wanted.merge(placed.value(), placed.geometry(), (first, second) -> isEdge(first) ? first : second);
    }

    private static boolean isEdge(TensorGeometry g) {
        return g.isDense(MemoryFormat.CONTIGUOUS) || g.isDense(MemoryFormat.CHANNELS_LAST);
    }

    private static List<Placed> placed(Call call) {
        List<Placed> found = new ArrayList<>();
        NestedValues.any(call.arguments(), leaf -> {
            if (leaf instanceof Placed p) {
                found.add(p);
            }
            return false;
        });
        return found;
    }

    private void level() {
        for (int value = 0; value < levels.length; value++) {
            if (recording.origin(value) instanceof Computed computed) {
                for (int input : computed.inputs()) {
                    levels[value] = Math.max(levels[value], levels[input]);
                }
            } else if (recording.origin(value) instanceof Called called) {
                for (Placed argument : placed(called.call())) {
                    int after = recording.origin(argument.value()) instanceof Computed ? 1 : 0;
                    levels[value] = Math.max(levels[value], levels[argument.value()] + after);
                }
            }
        }
    }

    private List<CompiledStages.Stage> compile(Runnable check) {
        List<CompiledStages.Stage> stages = new ArrayList<>();
        for (int value : wanted.keySet()) {
            if (recording.origin(value) instanceof Constant constant) {
                stages.add(new ConstantStage(value, constant.tensor()));
            }
        }
        int last = Arrays.stream(levels).max().orElse(0);
        boolean computes = false;
        for (int level = 0; level <= last; level++) {
            Map<Call, Boolean> called = new IdentityHashMap<>();
            for (int value = 0; value < levels.length; value++) {
                if (levels[value] == level
                        && needed[value]
                        && recording.origin(value) instanceof Called origin
                        && called.put(origin.call(), true) == null) {
                    stages.add(new CallStage(origin.call(), recording.call(value)));
                }
            }
            CompiledStages.Stage program = program(level, check);
            if (program != null) {
                stages.add(program);
                computes = true;
            }
        }
        if (!computes) {
            throw new NotSpecialisedException("nothing that a program can do");
        }
        return stages;
    }

    private boolean isMadeAt(int value, int level) {
        return needed[value] && levels[value] == level && recording.origin(value) instanceof Computed;
    }

    private CompiledStages.Stage program(int level, Runnable check) {
        GraphBuilder graph = new GraphBuilder();
        Map<Integer, Integer> numbers = new HashMap<>();
        List<NodeCall> calls = new ArrayList<>();
        List<ProgramStage.Port> inputs = new ArrayList<>();
        for (int value = 0; value < levels.length; value++) {
            if (isMadeAt(value, level)) {
                Computed computed = (Computed) recording.origin(value);
                int[] operands = new int[computed.inputs().length];
                for (int i = 0; i < operands.length; i++) {
                    int input = computed.inputs()[i];
                    Integer known = numbers.get(input);
                    operands[i] = known != null ? known : enter(graph, input, inputs);
                    numbers.put(input, operands[i]);
                }
                numbers.put(value, graph.add(computed.op(), operands));
                calls.add(recording.call(value));
            }
        }
        List<ProgramStage.Port> outputs = new ArrayList<>();
        for (int value = 0; value < levels.length; value++) {
            if (isMadeAt(value, level) && isReadAfter(value, level)) {
                ProgramStage.Port port = new ProgramStage.Port(value, edge(value));
                outputs.add(port);
                graph.output(numbers.get(value), storage(port));
            }
        }
        return outputs.isEmpty()
                ? null
                : new ProgramStage(Program.compile(graph.build(), check), calls, inputs, outputs);
    }

    private int enter(GraphBuilder graph, int value, List<ProgramStage.Port> inputs) {
        ValueType type = recording.type(value);
        if (recording.origin(value) instanceof Constant constant) {
            Tensor dense = constant.tensor().contiguous();
            int count = (int) dense.numel();
            if (type.element() == Element.INT32) {
                return graph.constant(
                        type,
                        Arrays.stream(Elements.longs(dense))
                                .mapToInt(Math::toIntExact)
                                .toArray());
            }
            return type.isFloat()
                    ? graph.constant(
                            type,
                            Arrays.copyOfRange(dense.storage().floatArray(), dense.offset(), dense.offset() + count))
                    : graph.constant(
                            type,
                            Arrays.copyOfRange(dense.storage().byteArray(), dense.offset(), dense.offset() + count));
        }
        ProgramStage.Port port = new ProgramStage.Port(value, edge(value));
        inputs.add(port);
        return graph.input(type, storage(port));
    }

    private static ImageStorage storage(ProgramStage.Port port) {
        return port.format() == MemoryFormat.CHANNELS_LAST ? ImageStorage.CHANNELS_LAST : ImageStorage.DECLARED;
    }

    /** How a value's tensor lies between programs: as it is wanted if that is dense, otherwise row-major. */
    private TensorGeometry edge(int value) {
        TensorGeometry g = recording.origin(value) instanceof Computed
                ? wanted.getOrDefault(value, recording.geometry(value))
                : recording.geometry(value);
        // Numbers lie as declared wherever they are.
        return isEdge(g) && !(ValueTypes.isNumbers(g.dtype()) && g.format() == MemoryFormat.CHANNELS_LAST)
                ? g
                : new TensorGeometry(g.dtype(), g.sizes(), Shape.contiguousStrides(g.sizes()), g.quantization());
    }

    private boolean isReadAfter(int value, int level) {
        if (wanted.containsKey(value)) {
            return true;
        }
        for (int user = value + 1; user < levels.length; user++) {
            if (needed[user]
                    && levels[user] > level
                    && recording.origin(user) instanceof Computed computed
                    && Arrays.stream(computed.inputs()).anyMatch(input -> input == value)) {
                return true;
            }
        }
        return false;
    }
}
