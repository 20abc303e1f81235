package org.torchnnapi.quantizer;

import java.io.IOException;
import java.util.List;

/** Inputs to watch a model on, read one at a time whenever they are needed; they may be read several times. */
public interface CalibrationInputs {
    int size();

    /** What messages call an input, such as its file. */
    String name(int index);

    /** The arguments of {@code forward}, runtime values. */
    List<Object> read(int index) throws IOException;

    /** Inputs that are in memory. */
    static CalibrationInputs of(List<List<Object>> inputs) {
        return new CalibrationInputs() {
            @Override
            public int size() {
                return inputs.size();
            }

            @Override
            public String name(int index) {
                return "number " + index;
            }

            @Override
            public List<Object> read(int index) {
                return inputs.get(index);
            }
        };
    }
}
