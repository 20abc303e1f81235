package org.torchnnapi.converter.check;

import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.torchnnapi.engine.NnapiPart;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * What a module's NNAPI models became when they ran. Closing it frees that; the module cannot run its NNAPI models
 * afterwards.
 */
public final class CompiledParts implements AutoCloseable {
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private final List<NnapiPart> parts = new ArrayList<>();
    private final ScriptObject module;

    /** Of a module that is still to run, or has run. */
    public CompiledParts(ScriptObject module) {
        this.module = module;
    }

    /** The names of the devices that it ran on; empty before the first run. */
    public Set<String> devices() {
        Set<String> names = new LinkedHashSet<>();
        found().forEach(part -> part.compilations()
                .forEach(compilation ->
                        compilation.placement().operations().forEach(operation -> names.add(operation.device()))));
        return names;
    }

    private List<NnapiPart> found() {
        seen.clear();
        parts.clear();
        visit(module);
        return parts;
    }

    private void visit(Object value) {
        if (value instanceof CustomObject custom && NnapiPart.of(custom) != null) {
            if (seen.add(custom)) {
                parts.add(NnapiPart.of(custom));
            }
        } else if (value instanceof ScriptObject object && seen.add(object)) {
            for (ClassType.Attribute attribute : object.type().attributes()) {
                visit(object.get(attribute.name()));
            }
        } else if (value instanceof ScriptList list && !(list.elementType() instanceof Type.Basic)) {
            list.items().forEach(this::visit);
        }
    }

    @Override
    public void close() {
        found().forEach(NnapiPart::close);
    }
}
