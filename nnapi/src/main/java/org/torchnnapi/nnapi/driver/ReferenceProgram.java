package org.torchnnapi.nnapi.driver;

import java.nio.Buffer;
import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.Operand;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.op.OperandBuffers;
import org.torchnnapi.nnapi.op.OperandValue;
import org.torchnnapi.nnapi.op.OperationContext;
import org.torchnnapi.nnapi.op.SubgraphRunner;

/**
 * A model made ready to run its reference kernels one after the other. Shapes that can be known beforehand are worked
 * out once, and their values share one arena. An instance runs one execution at a time.
 */
final class ReferenceProgram implements SubgraphRunner {
    private final OperandValue[] values;
    private final OperandValue[] inputs;
    private final OperandValue[] outputs;
    private final OperandValue[] computed;
    private final ReferenceStep[] steps;
    private final List<ReferenceProgram> nested = new ArrayList<>();
    private ExecutionControl control = new ExecutionControl();

    /** @param runnable whether it will run; else it only knows shapes */
    ReferenceProgram(Model model, boolean runnable) {
        this(model, runnable, new int[0][]);
    }

    /** @param inputShapes by input the shape it will have; none, or null, where it is what the model says */
    ReferenceProgram(Model model, boolean runnable, int[][] inputShapes) {
        values = new OperandValue[model.operands().size()];
        for (int i = 0; i < values.length; i++) {
            values[i] = value(model.operand(i), runnable);
        }
        inputs = select(model.inputs());
        outputs = select(model.outputs());
        for (int i = 0; i < inputShapes.length; i++) {
            if (inputShapes[i] != null) {
                inputs[i].shape(inputShapes[i]);
            }
        }
        List<Operation> operations = model.operations();
        steps = new ReferenceStep[operations.size()];
        int computedCount = 0;
        for (int i = 0; i < steps.length; i++) {
            steps[i] = new ReferenceStep(operations.get(i), values);
            steps[i].context.onCheckpoint(this::checkpoint);
            computedCount += steps[i].outputs.length;
        }
        computed = new OperandValue[computedCount];
        int next = 0;
        for (ReferenceStep step : steps) {
            for (OperandValue output : step.outputs) {
                output.deferAllocation(true);
                computed[next++] = output;
            }
        }
        prepareKnown();
        if (runnable) {
            Arena.assign(model, values);
            for (OperandValue output : computed) {
                output.deferAllocation(false);
            }
        }
    }

    /** By operand, the shapes known now; null for the others. */
    int[][] shapes() {
        int[][] shapes = new int[values.length][];
        for (int i = 0; i < shapes.length; i++) {
            shapes[i] = values[i].hasShape() ? values[i].dimensions() : null;
        }
        return shapes;
    }

    private OperandValue[] select(int[] indexes) {
        OperandValue[] selected = new OperandValue[indexes.length];
        for (int i = 0; i < indexes.length; i++) {
            selected[i] = values[indexes[i]];
        }
        return selected;
    }

    private OperandValue value(Operand operand, boolean runnable) {
        OperandValue value = new OperandValue(operand.descriptor());
        if (operand.lifetime() == Lifetime.NO_VALUE) {
            value.omit(true);
        } else if (operand.lifetime().isConstant()) {
            value.setData(OperandBuffers.view(operand.type(), operand.value()), false);
            value.setKnown(true);
        } else if (operand.lifetime() == Lifetime.SUBGRAPH) {
            ReferenceProgram program = new ReferenceProgram(operand.referenced(), runnable);
            if (runnable) {
                program.ownOutputs();
            }
            nested.add(program);
            value.setSubgraph(program);
        }
        return value;
    }

    /** Works out the shapes that follow from the model alone. */
    private void prepareKnown() {
        for (ReferenceStep step : steps) {
            if (step.inputsShaped()) {
                try {
                    step.checkInputs();
                    step.prepare();
                    step.prepared = allShaped(step.outputs);
                } catch (OperationContext.ValueNotKnownYet notYet) {
                    step.prepared = false;
                } catch (NnapiException illegal) {
                    // Without an optional input that the caller may yet leave out, the step may be legal.
                    if (!step.mayLoseInput(inputs)) {
                        throw illegal;
                    }
                }
            }
        }
    }

    private static boolean allShaped(OperandValue[] outputs) {
        for (OperandValue output : outputs) {
            if (!output.hasShape()) {
                return false;
            }
        }
        return true;
    }

    /** Gives deadline, cancellation and loop timeout of the next run. */
    private void control(ExecutionControl newControl) {
        control = newControl;
        for (ReferenceProgram program : nested) {
            program.control(newControl);
        }
    }

    /** Gives the outputs memory of this program: nobody will bind them. */
    private void ownOutputs() {
        for (OperandValue output : outputs) {
            output.setData(output.hasShape() ? OperandBuffers.allocate(output.type(), output.count()) : null, true);
        }
    }

    @Override
    public OperandValue[] run(OperandValue[] arguments) {
        for (int i = 0; i < inputs.length; i++) {
            bindInput(i, arguments[i].isOmitted() ? null : arguments[i].data(), arguments[i].dimensions());
        }
        run();
        return outputs;
    }

    @Override
    public long loopTimeoutNanos() {
        return control.loopTimeoutNanos();
    }

    @Override
    public void checkpoint() {
        control.check();
    }

    /** Runs the model on what the request binds, and reports the shapes of the outputs. */
    void execute(ExecutionRequest request) {
        control(request.control());
        for (int i = 0; i < inputs.length; i++) {
            bindInput(i, request.input(i), request.inputDimensions(i));
        }
        for (int i = 0; i < outputs.length; i++) {
            outputs[i].setData(request.output(i), false);
        }
        try {
            run();
        } finally {
            for (int i = 0; i < outputs.length; i++) {
                request.reportOutput(
                        i,
                        outputs[i].hasShape() ? outputs[i].dimensions() : null,
                        !outputs[i].hasShape() || outputs[i].fits());
                outputs[i].setData(null, false);
            }
        }
    }

    /**
     * Binds input {@code position}.
     *
     * @param data a typed view, or null when left out
     * @param dimensions of this execution, or null for those of the model
     */
    private void bindInput(int position, Buffer data, int[] dimensions) {
        OperandValue input = inputs[position];
        if (input.isOmitted() != (data == null)) {
            input.omit(data == null);
            forgetShapes();
        }
        if (data != null) {
            input.resetShape();
            if (dimensions != null) {
                input.shape(dimensions);
            }
            if (!input.hasShape()) {
                throw new NnapiException(
                        ResultCode.BAD_DATA,
                        "input " + position + ": " + input.declared() + " (expected: all dimensions given)");
            }
            input.setData(data, false);
            if (!input.fits()) {
                throw new NnapiException(
                        ResultCode.BAD_DATA,
                        "input " + position + ": " + data.capacity() + " elements (expected: " + input.count() + ")");
            }
            input.setKnown(true);
        }
    }

    /** What was worked out beforehand took the input for given, or for left out. */
    private void forgetShapes() {
        for (ReferenceStep step : steps) {
            step.prepared = false;
        }
    }

    /** Runs the steps with what is bound. */
    private void run() {
        for (OperandValue value : computed) {
            value.setKnown(false);
        }
        for (ReferenceStep step : steps) {
            if (!step.prepared) {
                for (OperandValue output : step.outputs) {
                    output.resetShape();
                }
            }
        }
        for (ReferenceStep step : steps) {
            control.check();
            step.checkInputs();
            if (step.prepared) {
                requireRoom(step.outputs);
            } else {
                step.prepare();
            }
            step.execute();
            for (OperandValue output : step.outputs) {
                output.setKnown(true);
            }
        }
    }

    private static void requireRoom(OperandValue[] outputs) {
        for (OperandValue output : outputs) {
            if (!output.fits()) {
                throw new NnapiException(
                        ResultCode.OUTPUT_INSUFFICIENT_SIZE,
                        "output buffer: "
                                + (output.data() == null ? 0 : output.data().capacity()) + " elements (expected: "
                                + output.count() + ")");
            }
        }
    }
}
