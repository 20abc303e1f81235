package org.torchnnapi.driver.cpu;

import java.util.Arrays;
import java.util.List;
import org.torchnnapi.kernels.ImageLayout;
import org.torchnnapi.kernels.Kernels;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.Operand;
import org.torchnnapi.nnapi.model.OperandDescriptor;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.nnapi.op.ArenaLayout;

/** Where each value lies, in which layout, while it is needed. Values never alive together share memory. */
final class Places {
    private static final int ALIGNMENT = 64;

    private final Model model;
    private final boolean[] inner;
    private final int[] offsets;
    private final ArenaLayout floats = new ArenaLayout(ALIGNMENT);
    private final ArenaLayout bytes = new ArenaLayout(ALIGNMENT);

    private Places(Model model, boolean[] inner) {
        this.model = model;
        this.inner = inner;
        offsets = new int[inner.length];
        Arrays.fill(offsets, -1);
    }

    static Places plan(Model model, List<Work> works) {
        Places places = new Places(model, InnerImages.of(model, works));
        int[] last = new int[places.offsets.length];
        for (int i = 0; i < works.size(); i++) {
            Work work = works.get(i);
            for (int j = 0; j < work.site().operation().inputCount(); j++) {
                last[work.site().operation().input(j)] = i;
            }
            if (work.residual() >= 0) {
                last[work.residual()] = i;
            }
        }
        for (int output : model.outputs()) {
            last[output] = works.size();
        }
        // Constants come before anything else, so that no temporary ever lies where one does.
        for (Work work : works) {
            for (int j = 0; j < work.site().operation().inputCount(); j++) {
                if (work.site().isConstant(j) && work.kind().readsConstant(work.site(), j)) {
                    places.take(work.site().operation().input(j), works.size());
                }
            }
            if (work.residual() >= 0 && model.operand(work.residual()).lifetime().isConstant()) {
                places.take(work.residual(), works.size());
            }
        }
        for (int input : model.inputs()) {
            places.take(input, last[input]);
        }
        for (int i = 0; i < works.size(); i++) {
            Work work = works.get(i);
            for (int j = 0; j < work.outputCount(); j++) {
                places.take(work.output(j), Math.max(i, last[work.output(j)]));
            }
            places.floats.release(i);
            places.bytes.release(i);
        }
        if (places.floats.size() / Float.BYTES > Integer.MAX_VALUE - ALIGNMENT || places.bytes.size() > Integer.MAX_VALUE - ALIGNMENT) {
            throw new NnapiException(ResultCode.OUT_OF_MEMORY, "values of the model: " + places.floats.size() + " and " + places.bytes.size()
                    + " bytes (expected: under 2^31 elements)");
        }
        return places;
    }

    private void take(int operand, int last) {
        OperandDescriptor descriptor = model.operand(operand).descriptor();
        if (offsets[operand] >= 0 || !Site.SUPPORTED.contains(descriptor.type())) {
            return;
        }
        boolean real = descriptor.type() == OperandType.TENSOR_FLOAT32;
        long size = (long) batch(operand) * imageSize(operand);
        long offset = real ? floats.take(size * Float.BYTES, last) / Float.BYTES : bytes.take(size, last);
        offsets[operand] = (int) Math.min(offset, Integer.MAX_VALUE);
    }

    /** A memory with the constants in their places. */
    Memory allocate() {
        Memory memory = new Memory(new float[(int) (floats.size() / Float.BYTES)], new byte[(int) bytes.size()]);
        for (int i = 0; i < offsets.length; i++) {
            Operand operand = model.operand(i);
            if (offsets[i] >= 0 && operand.lifetime().isConstant()) {
                if (operand.type() == OperandType.TENSOR_FLOAT32) {
                    operand.value().asFloatBuffer().get(memory.floats(), offsets[i], count(i));
                } else {
                    operand.value().get(memory.bytes(), offsets[i], count(i));
                }
            }
        }
        return memory;
    }

    boolean has(int operand) {
        return offsets[operand] >= 0;
    }

    int offset(int operand) {
        return offsets[operand];
    }

    /** Whether the image lies in the device's own layout instead of the declared one. */
    boolean isInner(int operand) {
        return inner[operand];
    }

    ImageLayout layout(int operand, ImageLayout declared) {
        return inner[operand] ? Kernels.preferredFloatLayout() : declared;
    }

    /** Elements of the value as the model sees it. */
    int count(int operand) {
        return (int) model.operand(operand).descriptor().elementCount();
    }

    /** Elements it takes, with the lanes that fill a blocked image. */
    int size(int operand) {
        return batch(operand) * imageSize(operand);
    }

    private int batch(int operand) {
        return inner[operand] ? model.operand(operand).descriptor().dimension(0) : 1;
    }

    private int imageSize(int operand) {
        if (!inner[operand]) {
            return count(operand);
        }
        int[] dims = model.operand(operand).descriptor().dimensions();
        return Kernels.preferredFloatLayout().size(dims[3], dims[1], dims[2]);
    }

    static boolean isTemporary(Model model, int operand) {
        return model.operand(operand).lifetime() == Lifetime.TEMPORARY_VARIABLE;
    }
}
