package org.torchnnapi.operators.packed;

/** What {@code torch.autograd.profiler.record_function} holds of PyTorch 1.13 on, while its part of a method runs. */
public record RecordFunction(String name) {
    public static final PackedClass<RecordFunction> CLASS = new PackedClass<>(
            "profiler._RecordFunction",
            RecordFunction.class,
            RecordFunction::name,
            name -> new RecordFunction((String) name));
}
