package org.torchnnapi.engine;

/**
 * What a loaded model holds, in bytes. Mapped bytes are the system's to load and to drop again; they count as memory of
 * the process only while they are.
 *
 * @param mapped of the model's file
 * @param tensors of the model as Java arrays: what the interpreter has used, or a file that was read into memory
 * @param packed weights as devices and programs keep them
 * @param arenas what executions on devices and runs of programs compute in
 */
public record ModelMemory(long mapped, long tensors, long packed, long arenas) {}
