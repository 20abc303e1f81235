package org.torchnnapi.execution.tracing;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.Set;
import org.junit.jupiter.api.Test;

class WorkspacesTest {
    /** However many calls there were at once, a server would keep the memory of all of them otherwise. */
    @Test
    void asManyAreKeptAsThereAreProcessors() {
        int processors = Runtime.getRuntime().availableProcessors();
        Workspaces workspaces = new Workspaces();
        for (int round = 0; round < 3; round++) {
            Set<Workspaces.Held> before = takenAtOnce(workspaces, 3 * processors);
            assertEquals(3 * processors, before.size());
            before.forEach(workspaces::giveBack);
            Set<Workspaces.Held> now = takenAtOnce(workspaces, 3 * processors);
            now.retainAll(before);
            assertEquals(processors, now.size());
            now.forEach(workspaces::giveBack);
        }
    }

    private static Set<Workspaces.Held> takenAtOnce(Workspaces workspaces, int count) {
        Set<Workspaces.Held> taken = Collections.newSetFromMap(new IdentityHashMap<>());
        for (int i = 0; i < count; i++) {
            taken.add(workspaces.take());
        }
        return taken;
    }
}
