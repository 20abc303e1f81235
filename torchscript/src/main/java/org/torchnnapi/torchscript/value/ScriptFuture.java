package org.torchnnapi.torchscript.value;

/** What {@code fork} gives: a result that is there already, since forked functions run at once. */
public record ScriptFuture(Object result) {}
