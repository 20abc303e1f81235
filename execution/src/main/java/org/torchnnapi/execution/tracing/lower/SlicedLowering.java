package org.torchnnapi.execution.tracing.lower;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * An operator that means the same for volumes {@code [N, C, D, H, W]} and for their slices {@code [N * D, C, H, W]}: on
 * volumes that a program has as slices it works on those, so that they need not be brought into the volumes' order in
 * between.
 */
final class SlicedLowering implements Lowering {
    private static final int RANK = 5;
    /** Up to so many dimensions broadcast tensors mean the same ones. */
    private static final int PLANE = 2;

    private final Lowering inner;

    /** @param inner the same for volumes as they are */
    SlicedLowering(Lowering inner) {
        this.inner = inner;
    }

    @Override
    public Object lower(Lowered lowered, Node node, Object[] args) {
        boolean joins = OperatorTrait.JOINS.of(node);
        if (!joins && !OperatorTrait.ELEMENTWISE.of(node) && !OperatorTrait.CHANNELWISE.of(node)) {
            return inner.lower(lowered, node, args);
        }
        List<Tensor> volumes = new ArrayList<>();
        for (Object value :
                joins && args[0] instanceof ScriptList list ? list.items().toArray() : args) {
            if (value instanceof Tensor t && t.rank() == RANK && lowered.varies(t)) {
                volumes.add(t);
            }
        }
        if (volumes.stream().noneMatch(lowered::isSliced)
                || !together(volumes)
                || joins && !joinsChannels(args, volumes)) {
            return inner.lower(lowered, node, args);
        }
        Object[] sliced = args.clone();
        if (joins) {
            ScriptList list = new ScriptList(((ScriptList) args[0]).elementType());
            volumes.forEach(volume -> list.items().add(lowered.slices(volume)));
            sliced[0] = list;
            sliced[1] = 1L;
        } else {
            for (int i = 0; i < args.length; i++) {
                if (args[i] instanceof Tensor t && volumes.contains(t)) {
                    sliced[i] = lowered.slices(t);
                } else if (args[i] instanceof Tensor t && t.rank() > PLANE) {
                    // Beside slices it would stand for other dimensions.
                    return inner.lower(lowered, node, args);
                }
            }
        }
        Object result = inner.lower(lowered, node, sliced);
        for (int i = 0; i < args.length; i++) {
            if (result == sliced[i]) {
                return args[i];
            }
        }
        return lowered.volumes((Tensor) result, volumes.get(0).size(0));
    }

    /**
     * Whether slices stand beside those they belong to: volumes are equally deep, or there is one and others have a
     * single slice for all.
     */
    private static boolean together(List<Tensor> volumes) {
        int batch = volumes.get(0).size(0);
        boolean alike = volumes.stream()
                .allMatch(volume -> volume.size(0) == batch
                        && volume.size(2) == volumes.get(0).size(2));
        return alike || batch == 1 && volumes.stream().allMatch(volume -> volume.size(0) == 1);
    }

    private static boolean joinsChannels(Object[] args, List<Tensor> volumes) {
        boolean alike = volumes.stream()
                .allMatch(volume -> volume.size(2) == volumes.get(0).size(2));
        return alike
                && args[0] instanceof ScriptList list
                && list.size() == volumes.size()
                && (Long.valueOf(1).equals(args[1]) || Long.valueOf(-4).equals(args[1]));
    }
}
