package org.torchnnapi.quantizer;

import java.util.function.Supplier;

/** How the range of an activation is chosen. */
public enum ObserverKind {
    /** From the least to the greatest value seen, as PyTorch's {@code MinMaxObserver}. */
    MINMAX(MinMaxObserver::new),
    /**
     * The range whose quantization error over a histogram of the values is least, as PyTorch 1.13's
     * {@code HistogramObserver} finds it, with its rounding of the histogram's ends to whole numbers.
     */
    HISTOGRAM(HistogramObserver::new),
    /** Without the 0.01 percent of values that lie farthest out on either side. */
    PERCENTILE(PercentileObserver::new);

    private final Supplier<Observer> maker;

    ObserverKind(Supplier<Observer> maker) {
        this.maker = maker;
    }

    Observer create() {
        return maker.get();
    }
}
