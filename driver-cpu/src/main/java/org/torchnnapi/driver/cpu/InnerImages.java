package org.torchnnapi.driver.cpu;

import java.util.List;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.Operation;

/** Finds the float images between operations that may all lie in the layout the kernels like best. */
final class InnerImages {
    private InnerImages() {
    }

    static boolean[] of(Model model, List<Work> works) {
        boolean[] inner = new boolean[model.operands().size()];
        for (int i = 0; i < inner.length; i++) {
            OperandDescriptor descriptor = model.operand(i).descriptor();
            inner[i] = Places.isTemporary(model, i) && descriptor.type() == OperandType.TENSOR_FLOAT32 && descriptor.rank() == 4;
        }
        for (Work work : works) {
            Kind.Images images = work.kind().images(work.site());
            Operation operation = work.site().operation();
            for (int j = 0; images == Kind.Images.AS_DECLARED && j < operation.inputCount(); j++) {
                inner[operation.input(j)] = false;
            }
            for (int j = 0; (images == Kind.Images.AS_DECLARED || images == Kind.Images.ANY_INPUT) && j < work.outputCount(); j++) {
                inner[work.output(j)] = false;
            }
        }
        boolean changed = true;
        while (changed) {
            changed = false;
            for (int i = 0; i < works.size(); i++) {
                changed |= agree(works.get(i), inner);
            }
            for (int i = works.size() - 1; i >= 0; i--) {
                changed |= agree(works.get(i), inner);
            }
        }
        return inner;
    }

    /** Makes the images of a work that must lie alike do so. */
    private static boolean agree(Work work, boolean[] inner) {
        int[] alike;
        if (work.residual() >= 0) {
            alike = new int[] {work.residual(), work.output(0)};
        } else if (work.kind().images(work.site()) == Kind.Images.ALIKE) {
            int tensors = 0;
            while (tensors < work.site().inputs() && work.site().in(tensors).type().isTensor()) {
                tensors++;
            }
            alike = new int[tensors + 1];
            for (int i = 0; i < tensors; i++) {
                alike[i] = work.site().operation().input(i);
            }
            alike[tensors] = work.output(0);
        } else {
            return false;
        }
        boolean all = true;
        boolean any = false;
        for (int operand : alike) {
            all &= inner[operand];
            any |= inner[operand];
        }
        if (any && !all) {
            for (int operand : alike) {
                inner[operand] = false;
            }
        }
        return any && !all;
    }
}
