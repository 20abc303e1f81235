package org.torchnnapi.program;

import java.util.ArrayList;
import java.util.List;

/** The inputs and the result of one operation. */
public record Operands(List<PlacedValue> inputs, PlacedValue out) {
    public PlacedValue in(int input) {
        return inputs.get(input);
    }

    public int count() {
        return inputs.size();
    }

    public List<ValueType> types() {
        List<ValueType> types = new ArrayList<>(inputs.size());
        for (PlacedValue input : inputs) {
            types.add(input.type());
        }
        return types;
    }
}
