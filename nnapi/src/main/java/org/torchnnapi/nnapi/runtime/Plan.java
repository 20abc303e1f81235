package org.torchnnapi.nnapi.runtime;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.nnapi.driver.ExecutionRequest;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelSlice;

/**
 * The steps of a partitioned model and how data flows between them. Immutable; what an execution writes is in its
 * {@link PlanRun}.
 */
final class Plan {
    /** An input of a step that the caller binds at each execution. */
    record CallerInput(int step, int position, int modelInput) {}

    /** An output of a step that the caller binds at each execution. */
    record CallerOutput(int step, int position, int modelOutput) {}

    /** A value handed from step to step: written at one place, read at several. */
    record Handover(int operand, int writerStep, int writerPosition, int[] readerSteps, int[] readerPositions) {}

    private final Model model;
    private final List<PlanStep> steps;
    private final List<CallerInput> callerInputs = new ArrayList<>();
    private final List<CallerOutput> callerOutputs = new ArrayList<>();
    private final List<Handover> handovers = new ArrayList<>();
    private final int[][] shapes;
    private final int[] lastReader;

    Plan(Model model, int[][] shapes, List<PlanStep> steps, List<ModelSlice> slices) {
        this.model = model;
        this.shapes = shapes;
        this.steps = List.copyOf(steps);
        int[] inputOf = positions(model.inputs());
        int[] outputOf = positions(model.outputs());
        List<List<int[]>> readers = new ArrayList<>();
        for (int i = 0; i < model.operands().size(); i++) {
            readers.add(null);
        }
        for (int s = 0; s < slices.size(); s++) {
            int[] inputs = slices.get(s).inputs();
            for (int i = 0; i < inputs.length; i++) {
                if (inputOf[inputs[i]] >= 0) {
                    callerInputs.add(new CallerInput(s, i, inputOf[inputs[i]]));
                } else {
                    if (readers.get(inputs[i]) == null) {
                        readers.set(inputs[i], new ArrayList<>());
                    }
                    readers.get(inputs[i]).add(new int[] {s, i});
                }
            }
        }
        for (int s = 0; s < slices.size(); s++) {
            int[] outputs = slices.get(s).outputs();
            for (int i = 0; i < outputs.length; i++) {
                if (outputOf[outputs[i]] >= 0) {
                    callerOutputs.add(new CallerOutput(s, i, outputOf[outputs[i]]));
                }
                List<int[]> list = readers.get(outputs[i]);
                if (list != null || outputOf[outputs[i]] < 0) {
                    handovers.add(new Handover(outputs[i], s, i, column(list, 0), column(list, 1)));
                }
            }
        }
        lastReader = new int[handovers.size()];
        for (int h = 0; h < lastReader.length; h++) {
            lastReader[h] = Arrays.stream(handovers.get(h).readerSteps())
                    .max()
                    .orElse(handovers.get(h).writerStep());
        }
    }

    private int[] positions(int[] indexes) {
        int[] positions = new int[model.operands().size()];
        Arrays.fill(positions, -1);
        for (int i = 0; i < indexes.length; i++) {
            positions[indexes[i]] = i;
        }
        return positions;
    }

    private static int[] column(List<int[]> rows, int column) {
        return rows == null
                ? new int[0]
                : rows.stream().mapToInt(row -> row[column]).toArray();
    }

    Model model() {
        return model;
    }

    List<PlanStep> steps() {
        return steps;
    }

    List<CallerInput> callerInputs() {
        return callerInputs;
    }

    List<CallerOutput> callerOutputs() {
        return callerOutputs;
    }

    List<Handover> handovers() {
        return handovers;
    }

    /** The last step that reads handover {@code number}. */
    int lastReader(int number) {
        return lastReader[number];
    }

    /** The shape of an operand, null where it depends on the execution. */
    int[] shape(int operand) {
        return shapes[operand];
    }

    /** Whether the one step is the model itself, with inputs and outputs in the caller's order. */
    boolean isWhole() {
        return steps.size() == 1 && steps.get(0).model() == model;
    }

    ExecutionRequest[] requests() {
        ExecutionRequest[] requests = new ExecutionRequest[steps.size()];
        for (int i = 0; i < requests.length; i++) {
            requests[i] = new ExecutionRequest(steps.get(i).model());
        }
        return requests;
    }

    void close() {
        for (PlanStep step : steps) {
            step.close();
        }
    }
}
