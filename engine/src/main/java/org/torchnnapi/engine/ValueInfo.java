package org.torchnnapi.engine;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.torchnnapi.tensor.DType;

/**
 * An input or output of a method, as far as a file tells. Immutable.
 *
 * @param name of the argument; of an output the field of a named tuple, otherwise {@code output}, or {@code output0},
 *     {@code output1} and so on of a tuple's items
 * @param type in TorchScript's words, such as {@code Tensor} or {@code Dict[str, Tensor]}
 * @param dtype of a tensor's elements; null where it is not known, and of what is no tensor
 * @param sizes of a tensor, -1 where any is taken; null where they are not known, and of what is no tensor
 * @param example whether element type and sizes are those of an example, beside which others may be taken too
 * @param optional whether an input has a default and may be left out
 */
public record ValueInfo(String name, String type, DType dtype, List<Integer> sizes, boolean example, boolean optional) {
    /** Copies the sizes. */
    public ValueInfo {
        sizes = sizes == null ? null : List.copyOf(sizes);
    }

    /** One whose elements and sizes are not known. */
    static ValueInfo of(String name, String type, boolean optional) {
        return new ValueInfo(name, type, null, null, false, optional);
    }

    ValueInfo withTensor(DType newType, List<Integer> newSizes, boolean isExample) {
        return new ValueInfo(name, type, newType, newSizes, isExample, optional);
    }

    /** Such as {@code image: Tensor, float32[1,3,?,?]}, for people. */
    public String text() {
        String tensor = "";
        if (dtype != null || sizes != null) {
            tensor = (example ? ", such as " : ", ")
                    + (dtype == null ? "" : dtype.name().toLowerCase(Locale.ROOT))
                    + (sizes == null
                            ? ""
                            : sizes.stream()
                                    .map(size -> size < 0 ? "?" : size.toString())
                                    .collect(Collectors.joining(",", "[", "]")));
        }
        return name + ": " + type + tensor + (optional ? ", may be left out" : "");
    }
}
