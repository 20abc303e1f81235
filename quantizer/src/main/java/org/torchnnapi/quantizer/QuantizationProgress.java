package org.torchnnapi.quantizer;

/** Is told how far long work has come. */
@FunctionalInterface
public interface QuantizationProgress {
    /** Tells nobody. */
    QuantizationProgress NONE = (what, done, total) -> {};

    void update(String what, int done, int total);
}
