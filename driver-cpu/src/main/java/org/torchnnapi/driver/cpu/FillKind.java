package org.torchnnapi.driver.cpu;

import java.util.Arrays;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.program.ValueType;

/** FILL by a constant scalar: the output is a constant itself. */
final class FillKind implements Kind {
    private static final int VALUE = Site.input(OperationType.FILL, "value");

    @Override
    public Problem typeRefusal(Site site) {
        return null;
    }

    @Override
    public boolean isParameter(Site site, int input) {
        return true;
    }

    @Override
    public void translate(Site site, Translation translation) {
        ValueType type = Site.type(site.out());
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
