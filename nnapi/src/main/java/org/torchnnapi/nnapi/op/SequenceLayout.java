package org.torchnnapi.nnapi.op;

/** Where time and batch are in a sequence: {@code [time, batch, features]} or {@code [batch, time, features]}. */
record SequenceLayout(boolean timeMajor, int steps, int batches, int features) {
    /**
     * @throws org.torchnnapi.nnapi.model.NnapiException BAD_DATA if the input has not three dimensions, as one that may
     *     be empty is described with
     */
    static SequenceLayout of(OperationContext operation, int input, boolean timeMajor) {
        operation.requireRank(input, 3);
        int[] dims = operation.dims(input);
        return new SequenceLayout(timeMajor, dims[timeMajor ? 0 : 1], dims[timeMajor ? 1 : 0], dims[2]);
    }

    /** The same sequence with other features. */
    SequenceLayout with(int otherFeatures) {
        return new SequenceLayout(timeMajor, steps, batches, otherFeatures);
    }

    int[] dims() {
        return timeMajor ? new int[] {steps, batches, features} : new int[] {batches, steps, features};
    }

    /** Index of the first feature of a step of a batch. */
    int index(int step, int batch) {
        return (timeMajor ? step * batches + batch : batch * steps + step) * features;
    }
}
