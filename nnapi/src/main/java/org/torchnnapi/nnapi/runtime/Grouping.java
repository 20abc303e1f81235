package org.torchnnapi.nnapi.runtime;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.nnapi.model.ModelSlice;
import org.torchnnapi.nnapi.model.Operation;

/**
 * Groups operations that have their device into partitions: runs through those that are ready, staying on one device as long as it has any, so
 * that partitions are few.
 */
final class Grouping {
    private final ModelSlice.Source source;
    private final List<Operation> operations;
    private final int[] chosen;
    /** By operation, how many of its inputs are still to be written. */
    private final int[] waiting;
    /** By device the operations whose inputs are all written. */
    private final List<ArrayDeque<Integer>> ready = new ArrayList<>();
    private final int[] partOf;
    private final List<Integer> partDevices = new ArrayList<>();
    private final List<int[]> members = new ArrayList<>();

    /**
     * @param devices how many there are
     * @param chosen  by operation the number of its device
     */
    Grouping(ModelSlice.Source source, int devices, int[] chosen) {
        this.source = source;
        this.chosen = chosen;
        operations = source.whole().operations();
        waiting = new int[operations.size()];
        partOf = new int[operations.size()];
        for (int d = 0; d < devices; d++) {
            ready.add(new ArrayDeque<>());
        }
        for (int i = 0; i < waiting.length; i++) {
            Operation operation = operations.get(i);
            for (int j = 0; j < operation.inputCount(); j++) {
                waiting[i] += source.writer(operation.input(j)) >= 0 ? 1 : 0;
            }
            if (waiting[i] == 0) {
                ready.get(chosen[i]).add(i);
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

    /** Everything a device can do now, as a partition. */
    private int addPart(int device) {
        List<Integer> part = new ArrayList<>();
        while (!ready.get(device).isEmpty()) {
            int number = ready.get(device).poll();
            part.add(number);
            partOf[number] = members.size();
            release(number);
        }
        partDevices.add(device);
        members.add(part.stream().mapToInt(Integer::intValue).sorted().toArray());
        return part.size();
    }

    private void release(int number) {
        Operation operation = operations.get(number);
        for (int j = 0; j < operation.outputCount(); j++) {
            for (int reader : source.readers(operation.output(j))) {
                if (--waiting[reader] == 0) {
                    ready.get(chosen[reader]).add(reader);
                }
            }
        }
    }

    /** The device with the most to do. */
    private int longest() {
        int longest = 0;
        for (int d = 1; d < ready.size(); d++) {
            if (ready.get(d).size() > ready.get(longest).size()) {
                longest = d;
            }
        }
        return longest;
    }
}
