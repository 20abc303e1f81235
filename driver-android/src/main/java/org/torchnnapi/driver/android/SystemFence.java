package org.torchnnapi.driver.android;

import java.util.function.IntConsumer;
import org.torchnnapi.nnapi.driver.Fence;
import org.torchnnapi.tensor.platform.Reachability;

/**
 * The end of an execution of the system's runtime. What it wrote is where it is wanted once the first wait has
 * returned.
 */
final class SystemFence implements Fence {
    private final SystemLibrary system;
    private final long event;
    private final boolean inPlace;
    private final IntConsumer finish;
    private boolean over;
    private RuntimeException failure;

    /**
     * @param inPlace whether the device writes every output where it is wanted
     * @param finish takes the event's result code, once
     */
    SystemFence(SystemLibrary system, long event, boolean inPlace, IntConsumer finish) {
        this.system = system;
        this.event = event;
        this.inPlace = inPlace;
        this.finish = finish;
    }

    @Override
    public synchronized void await() {
        if (!over) {
            int code = (int) system.call("Event_wait", event);
            over = true;
            try {
                finish.accept(code);
            } catch (RuntimeException e) {
                failure = e;
            } finally {
                system.call("Event_free", event);
            }
        }
        if (failure != null) {
            throw failure;
        }
    }

    @Override
    public synchronized boolean isSignaled() {
        return over;
    }

    @Override
    public synchronized int export() {
        if (over || !inPlace || !system.has("Event_getSyncFenceFd")) {
            return -1;
        }
        ForeignMemory place = new ForeignMemory(Integer.BYTES);
        int code = (int) system.call("Event_getSyncFenceFd", event, place.address());
        int descriptor = code == 0 ? place.getInt(0) : -1;
        Reachability.fence(place);
        return descriptor;
    }
}
