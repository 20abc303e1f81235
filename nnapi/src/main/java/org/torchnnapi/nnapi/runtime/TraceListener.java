package org.torchnnapi.nnapi.runtime;

/** Receives trace events, on the thread that did the thing, right after it. */
@FunctionalInterface
public interface TraceListener {
    void onEvent(TraceEvent event);
}
