package org.torchnnapi.converter.check;

import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.Set;
import org.torchnnapi.engine.NnapiPart;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptObject;

/** The devices that a converted module's NNAPI models ran on. */
public final class DevicesUsed {
    private final Set<Object> seen = Collections.newSetFromMap(new IdentityHashMap<>());
    private final Set<String> names = new LinkedHashSet<>();

    private DevicesUsed() {
    }

    /** Their names; empty before the first run. */
    public static Set<String> by(ScriptObject module) {
        DevicesUsed devices = new DevicesUsed();
        devices.visit(module);
        return devices.names;
    }

    private void visit(Object value) {
        if (value instanceof CustomObject custom) {
            visit(NnapiPart.of(custom));
        } else if (value instanceof NnapiPart part) {
            part.compilations().forEach(compilation -> compilation.placement().operations().forEach(operation -> names.add(operation.device())));
        } else if (value instanceof ScriptObject object && seen.add(object)) {
            for (ClassType.Attribute attribute : object.type().attributes()) {
                visit(object.get(attribute.name()));
            }
        }
    }
}
