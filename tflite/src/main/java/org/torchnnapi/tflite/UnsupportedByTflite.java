package org.torchnnapi.tflite;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/** Thrown for a model that has what TensorFlow Lite lacks; the reasons name each once. */
public final class UnsupportedByTflite extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient List<String> reasons;

    UnsupportedByTflite(Set<String> reasons) {
        super("TensorFlow Lite: " + String.join("; ", reasons));
        this.reasons = new ArrayList<>(new LinkedHashSet<>(reasons));
    }

    UnsupportedByTflite(String reason) {
        this(Set.of(reason));
    }

    /** Each says what was found, and what TensorFlow Lite takes instead. */
    public List<String> reasons() {
        return List.copyOf(reasons);
    }
}
