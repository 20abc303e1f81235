package org.torchnnapi.torchscript.pickle;

/** A member of an enum class of the archive, known by its value (a Long, Double or String). */
public record PickledEnum(String className, Object value) {}
