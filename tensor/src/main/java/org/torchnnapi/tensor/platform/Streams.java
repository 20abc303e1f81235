package org.torchnnapi.tensor.platform;

import java.util.Collections;
import java.util.List;
import java.util.stream.Collector;
import java.util.stream.Collectors;

/** Ends of streams. */
public final class Streams {
    private Streams() {}

    /** A list of the elements, in order, that cannot be changed; null may be among them. */
    public static <T> Collector<T, ?, List<T>> toList() {
        return Collectors.collectingAndThen(Collectors.toList(), Collections::unmodifiableList);
    }
}
