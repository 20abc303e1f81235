package org.torchnnapi.nnapi.driver;

import java.util.EnumMap;
import java.util.Map;
import org.torchnnapi.nnapi.model.OperandType;

/**
 * How fast and how frugal a device is, relative to the reference CPU (1.0); lower is better.
 *
 * @param byType figures an operand type; a type that is missing counts as {@link Performance#UNKNOWN}
 * @param relaxedFloat32 figures for float32 tensors of relaxed models
 */
public record Capabilities(
        Map<OperandType, Performance> byType,
        Performance relaxedFloat32,
        Performance ifPerformance,
        Performance whilePerformance) {
    /**
     * @param execTime time of an execution, relative to the CPU's
     * @param powerUsage energy of an execution, relative to the CPU's
     */
    public record Performance(float execTime, float powerUsage) {
        public static final Performance BASE = new Performance(1f, 1f);
        /** What a device claims nothing about is left to others. */
        public static final Performance UNKNOWN = new Performance(Float.MAX_VALUE, Float.MAX_VALUE);
    }

    public Capabilities {
        byType = Map.copyOf(byType);
    }

    /** The same figures for everything. */
    public static Capabilities uniform(Performance performance) {
        Map<OperandType, Performance> byType = new EnumMap<>(OperandType.class);
        for (OperandType type : OperandType.values()) {
            byType.put(type, performance);
        }
        return new Capabilities(byType, performance, performance, performance);
    }

    public Performance of(OperandType type) {
        return byType.getOrDefault(type, Performance.UNKNOWN);
    }
}
