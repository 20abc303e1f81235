package org.torchnnapi.converter.lower;

import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/**
 * Lets a branch or loop read the tensor that its condition is made of, in the place of {@code bool(tensor)}, which
 * nothing else then needs.
 */
public final class TensorCondition {
    private final Node control;
    private final int position;
    private final Node made;
    private final Value tensor;

    private TensorCondition(Node control, int position, Node made, Value tensor) {
        this.control = control;
        this.position = position;
        this.made = made;
        this.tensor = tensor;
    }

    /** Changes the graph where the condition is that of a tensor and only this node reads it. */
    public static TensorCondition of(Node control) {
        int position = control.is(ControlFlows.LOOP) ? 1 : 0;
        Node made = control.input(position).definition();
        boolean plain = made != null
                && made.is("aten::Bool")
                && made.input(0).type() == Type.Basic.TENSOR
                && made.output().uses().size() == 1
                && made.owner() == control.owner();
        if (!plain) {
            return new TensorCondition(control, position, null, null);
        }
        Value tensor = made.input(0);
        control.setInput(position, tensor);
        made.owner().remove(made);
        made.removeAllInputs();
        return new TensorCondition(control, position, made, tensor);
    }

    /** Puts the graph back as it was. */
    public void restore() {
        if (made != null) {
            made.addInput(tensor);
            control.owner().insertBefore(control, made);
            control.setInput(position, made.output());
        }
    }
}
