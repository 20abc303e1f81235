package org.torchnnapi.nnapi.runtime;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.nnapi.driver.PartRules;
import org.torchnnapi.nnapi.model.ModelSlice;
import org.torchnnapi.nnapi.model.Operation;

/**
 * Groups operations that have their device into partitions: runs through those that are ready, staying on one device as
 * long as it has any, so that partitions are few.
 */
final class Grouping {
    private final ModelSlice.Source source;
    private final List<Operation> operations;
    private final int[] chosen;
    /** By operation, how many of its inputs are still to be written. */
    private final int[] waiting;

    private final List<PartRules> rules;
    /** By device the operations whose inputs are all written, and of these the ones that make a part each. */
    private final List<ArrayDeque<Integer>> ready = new ArrayList<>();

    private final List<ArrayDeque<Integer>> alone = new ArrayList<>();
    private final int[] partOf;
    /** By operation whether it is in a part. */
    private final boolean[] written;

    private final List<Integer> partDevices = new ArrayList<>();
    private final List<int[]> members = new ArrayList<>();

    /**
     * @param rules by device, what it asks of its parts
     * @param chosen by operation the number of its device
     */
    Grouping(ModelSlice.Source source, List<PartRules> rules, int[] chosen) {
        this.source = source;
        this.rules = rules;
        this.chosen = chosen;
        operations = source.whole().operations();
        waiting = new int[operations.size()];
        partOf = new int[operations.size()];
        written = new boolean[partOf.length];
        for (int d = 0; d < rules.size(); d++) {
            ready.add(new ArrayDeque<>());
            alone.add(new ArrayDeque<>());
        }
        for (int i = 0; i < waiting.length; i++) {
            Operation operation = operations.get(i);
            for (int j = 0; j < operation.inputCount(); j++) {
                waiting[i] += source.writer(operation.input(j)) >= 0 ? 1 : 0;
            }
            if (waiting[i] == 0) {
                addReady(i);
            }
        }
        for (int done = 0; done < waiting.length; ) {
            done += addPart(longest());
        }
    }

    /** By operation the number of its partition. */
    int[] partOf() {
        return partOf;
    }

    /** By partition the number of its device. */
    List<Integer> partDevices() {
        return partDevices;
    }

    /** By partition its operations, in the model's order. */
    List<int[]> members() {
        return members;
    }

    private void addReady(int number) {
        int device = chosen[number];
        (rules.get(device).standsAlone(operations.get(number)) ? alone : ready)
                .get(device)
                .add(number);
    }

    /** Everything a device can do now, as a partition; or one operation that stands alone, if there is nothing else. */
    private int addPart(int device) {
        List<Integer> part = new ArrayList<>();
        if (ready.get(device).isEmpty()) {
            take(alone.get(device).poll(), part);
        } else {
            List<Integer> later = new ArrayList<>();
            while (!ready.get(device).isEmpty()) {
                int number = ready.get(device).poll();
                if (needsValueOfPart(number)) {
                    later.add(number);
                } else {
                    take(number, part);
                }
            }
            ready.get(device).addAll(later);
        }
        partDevices.add(device);
        members.add(part.stream().mapToInt(Integer::intValue).sorted().toArray());
        return part.size();
    }

    private void take(int number, List<Integer> part) {
        part.add(number);
        partOf[number] = members.size();
        written[number] = true;
        release(number);
    }

    /**
     * Whether the device must know a value before it prepares the operation, and the part that is being made computes
     * it.
     */
    private boolean needsValueOfPart(int number) {
        Operation operation = operations.get(number);
        for (int j = 0; j < operation.inputCount(); j++) {
            int writer = source.writer(operation.input(j));
            if (writer >= 0
                    && written[writer]
                    && partOf[writer] == members.size()
                    && rules.get(chosen[number]).needsValue(source.whole(), operation, j)) {
                return true;
            }
        }
        return false;
    }

    private void release(int number) {
        Operation operation = operations.get(number);
        for (int j = 0; j < operation.outputCount(); j++) {
            for (int reader : source.readers(operation.output(j))) {
                if (--waiting[reader] == 0) {
                    addReady(reader);
                }
            }
        }
    }

    /** The device with the most to do in one part. */
    private int longest() {
        int longest = -1;
        for (int d = 0; d < ready.size(); d++) {
            if (most(d) > (longest < 0 ? 0 : most(longest))) {
                longest = d;
            }
        }
        return longest;
    }

    private int most(int device) {
        return ready.get(device).isEmpty()
                ? Math.min(1, alone.get(device).size())
                : ready.get(device).size();
    }
}
