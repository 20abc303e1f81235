package org.torchnnapi.driver.cpu;

import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.ValueType;
import org.torchnnapi.program.op.ReshapeOp;
import org.torchnnapi.program.op.TransposeOp;

/** CHANNEL_SHUFFLE: {@code groups x n} channels in the order of {@code n x groups}. */
final class ChannelShuffleOperationLowering implements OperationLowering {
    private static final int GROUPS = OperationView.input(OperationType.CHANNEL_SHUFFLE, "groups");
    private static final int AXIS = OperationView.input(OperationType.CHANNEL_SHUFFLE, "axis");

    @Override
    public Problem typeRefusal(OperationView site) {
        return site.typeProblem(0);
    }

    @Override
    public Problem refusal(OperationView site) {
        int extent = site.in(0).dimension(axis(site));
        int groups = site.intValue(GROUPS);
        return groups > 0 && extent % groups == 0 ? null : Problem.of("groups", groups, "a divisor of " + extent);
    }

    private static int axis(OperationView site) {
        int axis = site.intValue(AXIS);
        return axis < 0 ? axis + site.in(0).rank() : axis;
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        ValueType in = site.type(0);
        int axis = axis(site);
        int groups = site.intValue(GROUPS);
        int[] cut = {in.count(0, axis), groups, in.dimension(axis) / groups, in.count(axis + 1, in.rank())};
        int turned = translation.add(
                new TransposeOp(new int[] {0, 2, 1, 3}), translation.add(new ReshapeOp(cut), translation.in(site, 0)));
        translation.result(site, new ReshapeOp(in.shape()), turned);
    }
}
