package org.torchnnapi.samples.spark;

import java.util.HashSet;
import java.util.Set;
import java.util.function.Function;
import org.apache.spark.ExecutorLostFailure;
import org.apache.spark.Success$;
import org.apache.spark.scheduler.SparkListener;
import org.apache.spark.scheduler.SparkListenerTaskEnd;

/** Kills the process of an executor in the midst of a job, and sees what that interrupts. */
final class ExecutorLoss extends SparkListener {
    private final int tasks;
    private final Function<String, ProcessHandle> processes;
    private final Set<Long> interrupted = new HashSet<>();
    private int ended;
    private String executor;

    /** @param tasks that end well before the executor that ended the last of them is killed */
    ExecutorLoss(int tasks, Function<String, ProcessHandle> processes) {
        this.tasks = tasks;
        this.processes = processes;
    }

    /** What was killed; null if nothing was. */
    synchronized String executor() {
        return executor;
    }

    /** How many tasks were running in it, and had to be run anew. */
    synchronized int interrupted() {
        return interrupted.size();
    }

    @Override
    public synchronized void onTaskEnd(SparkListenerTaskEnd task) {
        if (task.reason() instanceof ExecutorLostFailure) {
            interrupted.add(task.taskInfo().taskId());
        }
        if (task.reason() == Success$.MODULE$ && ++ended == tasks) {
            executor = task.taskInfo().executorId();
            if (!processes.apply(executor).destroyForcibly()) {
                throw new IllegalStateException("executor " + executor + " was not killed");
            }
        }
    }
}
