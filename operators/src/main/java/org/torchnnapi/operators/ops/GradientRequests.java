package org.torchnnapi.operators.ops;

import static org.torchnnapi.operators.support.Args.tensor;

import java.util.List;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.support.Args;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.OperatorTrait;

/**
 * What a module asks of autograd. Tensors here have no history, so each call ends as it does in PyTorch for tensors
 * that require no gradients, in its error; a parameter that requires one is told so too, since nothing that led to it
 * was recorded.
 */
public final class GradientRequests implements OperatorFamily {
    private static final String REMEDY =
            " (gradients are not recorded here; compute them with PyTorch, and load a module whose methods ask for "
                    + "none)";

    @Override
    public void register(Registrar r) {
        String kept = "bool? retain_graph=None, bool create_graph=False";
        r.op(
                "aten::backward(Tensor self, Tensor? gradient=None, " + kept + ") -> ()",
                a -> refused(List.of(tensor(a, 0))),
                OperatorTrait.ACTING);
        r.op(
                "aten::backward.TensorList(Tensor[] tensors, Tensor?[]? grad_tensors=None, " + kept + ") -> ()",
                a -> refused(Args.tensors(a, 0)),
                OperatorTrait.ACTING);
        r.op(
                "aten::_backward(Tensor self, Tensor[] inputs, Tensor? gradient=None, " + kept + ") -> ()",
                a -> refused(List.of(tensor(a, 0))),
                OperatorTrait.ACTING);
        r.op(
                "aten::grad(Tensor[] outputs, Tensor[] inputs, Tensor?[]? grad_outputs=None, " + kept
                        + ", bool allow_unused=False) -> Tensor?[]",
                a -> {
                    if (Args.tensors(a, 0).isEmpty()) {
                        throw new IllegalArgumentException(
                                "One of the differentiated Tensors does not require grad" + REMEDY);
                    }
                    return refused(Args.tensors(a, 0));
                });
        r.op(
                "aten::retain_grad(Tensor(a!) self) -> ()",
                a -> {
                    if (!tensor(a, 0).requiresGrad()) {
                        throw new IllegalArgumentException("can't retain_grad on Tensor that has requires_grad=False");
                    }
                    return null;
                },
                OperatorTrait.ACTING);
    }

    /** @param tensors whose gradients are asked for; of none there is nothing to compute */
    private static Object refused(List<Tensor> tensors) {
        if (tensors.isEmpty()) {
            return null;
        }
        throw new IllegalArgumentException((tensors.get(0).requiresGrad()
                        ? "element 0 of tensors does not have a grad_fn"
                        : "element 0 of tensors does not require grad and does not have a grad_fn")
                + REMEDY);
    }
}
