package org.torchnnapi.nnapi.runtime;

import java.util.IdentityHashMap;
import java.util.Map;
import org.torchnnapi.nnapi.driver.ControlledRunner;
import org.torchnnapi.nnapi.driver.ModelRunner;
import org.torchnnapi.nnapi.driver.PrepareOptions;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.driver.ReferenceDriver;
import org.torchnnapi.nnapi.model.Model;

/**
 * The referenced models of IF and WHILE operations that the reference device steers: each is a compilation of its own, so
 * that its operations, too, run where they are best off.
 */
final class Branches implements AutoCloseable {
    private final CompilationBuilder settings;
    private final Map<Model, Compilation> compilations = new IdentityHashMap<>();

    Branches(CompilationBuilder settings) {
        this.settings = settings;
    }

    /** Has the reference device prepare a part with IF or WHILE in it. */
    PreparedModel prepare(ReferenceDriver reference, Model part, PrepareOptions options) {
        return reference.prepare(part, options, this::runner);
    }

    /** What runs a referenced model; null if it is all the reference device's anyway. */
    private synchronized ControlledRunner runner(Model model) {
        Compilation compilation = compilations.get(model);
        if (compilation == null) {
            compilation = Compilation.compile(settings.forReferenced(model));
            compilations.put(model, compilation);
        }
        return compilation.isAllReference() ? null : new ModelRunner(compilation.model(), compilation::execute);
    }

    /** The compilation of a referenced model, or null. */
    synchronized Compilation compilation(Model model) {
        return compilations.get(model);
    }

    /** Whether any of them has operations on another device. */
    synchronized boolean reachOthers() {
        return compilations.values().stream().anyMatch(compilation -> !compilation.isAllReference());
    }

    @Override
    public synchronized void close() {
        compilations.values().forEach(Compilation::close);
    }
}
