package org.torchnnapi.torchscript.value;

import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Prim;

/** What a call runs, as far as its graph tells. */
public sealed interface Callee {
    /** A function of the model. */
    record Body(Function function) implements Callee {}

    /** A method of a class implemented in Java; its inputs are the object and the arguments. */
    record Custom(CustomClass type, String method) implements Callee {}

    /** What only the call itself finds out, or nothing. */
    record Unknown() implements Callee {}

    /**
     * What a node calls.
     *
     * @param call a {@code prim::CallFunction} or {@code prim::CallMethod}
     * @param customClasses by qualified name; null for those that there are not
     */
    static Callee of(Node call, java.util.function.Function<String, CustomClass> customClasses) {
        if (call.is(Prim.CALL_FUNCTION)) {
            return new Body((Function) call.attribute("function"));
        }
        if (!(call.input(0).type() instanceof ClassType type) || type.kind() == ClassType.Kind.INTERFACE) {
            return new Unknown();
        }
        String name = (String) call.attribute("name");
        if (type.kind() == ClassType.Kind.CUSTOM) {
            CustomClass custom = customClasses.apply(type.name());
            return custom == null ? new Unknown() : new Custom(custom, name);
        }
        Function method = type.method(name);
        return method == null ? new Unknown() : new Body(method);
    }
}
