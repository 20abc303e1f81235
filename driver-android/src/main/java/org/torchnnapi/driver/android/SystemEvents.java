package org.torchnnapi.driver.android;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.nnapi.driver.Fence;
import org.torchnnapi.tensor.platform.Reachability;

/** Fences as events of the system's runtime. Those without a descriptor are waited for here instead. */
final class SystemEvents implements AutoCloseable {
    private final SystemLibrary system;
    private final List<Long> events = new ArrayList<>();
    private ForeignMemory list;

    private SystemEvents(SystemLibrary system) {
        this.system = system;
    }

    static SystemEvents of(SystemLibrary system, List<Fence> fences) {
        SystemEvents events = new SystemEvents(system);
        try {
            for (Fence fence : fences) {
                events.add(fence);
            }
        } catch (RuntimeException e) {
            events.close();
            throw e;
        }
        events.list = new ForeignMemory(Math.max(1, ForeignMemory.WORD * events.events.size()));
        for (int i = 0; i < events.events.size(); i++) {
            events.list.putWord(ForeignMemory.WORD * i, events.events.get(i));
        }
        return events;
    }

    private void add(Fence fence) {
        int descriptor = fence.isSignaled() ? -1 : fence.export();
        if (descriptor < 0) {
            fence.await();
            return;
        }
        try {
            events.add(system.made("Event_createFromSyncFenceFd", descriptor));
        } finally {
            // The event has a copy.
            Descriptors.close(descriptor);
        }
    }

    long address() {
        return events.isEmpty() ? 0 : list.address();
    }

    int count() {
        return events.size();
    }

    @Override
    public void close() {
        for (long event : events) {
            system.call("Event_free", event);
        }
        Reachability.fence(list);
    }
}
