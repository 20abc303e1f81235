package org.torchnnapi.driver.cpu;

import java.util.Arrays;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.ValueType;

/** FILL by a constant scalar: the output is a constant itself. */
final class FillOperationLowering implements OperationLowering {
    private static final int VALUE = OperationView.input(OperationType.FILL, "value");

    @Override
    public Problem typeRefusal(OperationView site) {
        return null;
    }

    @Override
    public boolean isParameter(OperationView site, int input) {
        return true;
    }

    @Override
    public void translate(OperationView site, Translation translation) {
        ValueType type = OperationView.type(site.out());
        if (type.isFloat()) {
            float[] data = new float[type.count()];
            Arrays.fill(data, site.floatValue(VALUE));
            translation.result(site, 0, translation.constant(type, data));
        } else {
            int[] data = new int[type.count()];
            Arrays.fill(data, site.intValue(VALUE));
            translation.result(site, 0, translation.constant(type, data));
        }
    }
}
