package org.torchnnapi.samples.spark;

import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** What tasks that ended took of the executors' processors, Spark's own part of them included. */
final class TaskTime extends SparkListener {
    private long nanos;

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd task) {
        if (task.taskMetrics() != null) {
            nanos += task.taskMetrics().executorCpuTime();
        }
    }

    synchronized double seconds() {
        return nanos / 1e9;
    }
}
