package org.torchnnapi.operators.packed;

/** What {@code torch.autograd.profiler.record_function} holds of PyTorch 1.13 on, while its part of a method runs. */
public record Recording(String name) {
    public static final PackedClass<Recording> CLASS = new PackedClass<>("profiler._RecordFunction", Recording.class, Recording::name, name -> new Recording((String) name));
}
