import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_void;

import java.lang.classfile.CodeBuilder;
import java.lang.classfile.TypeKind;
import java.lang.constant.ClassDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.Map;

/**
 * The code that calls a lambda's body from the method of its interface, with arguments and result changed to the types
 * that either has.
 */
final class Call {
    private static final Map<String, ClassDesc> WRAPPERS = Map.of(
            "Z",
            wrapper("Boolean"),
            "B",
            wrapper("Byte"),
            "S",
            wrapper("Short"),
            "C",
            wrapper("Character"),
            "I",
            wrapper("Integer"),
            "J",
            wrapper("Long"),
            "F",
            wrapper("Float"),
            "D",
            wrapper("Double"));

    private final Lambda lambda;
    private final DirectMethodHandleDesc body;

    Call(Lambda lambda) {
        this.lambda = lambda;
        body = lambda.body();
    }

    private static ClassDesc wrapper(String name) {
        return ClassDesc.of("java.lang", name);
    }

    /** What comes before the captured values. */
    void begin(CodeBuilder code) {
        if (isConstructor()) {
            code.new_(body.owner()).dup();
        }
    }

    /** What comes behind them: the method's own arguments, the call and the result. */
    void end(CodeBuilder code) {
        List<ClassDesc> taken = taken();
        for (int i = 0; i < lambda.method().parameterCount(); i++) {
            ClassDesc given = lambda.method().parameterType(i);
            code.loadLocal(TypeKind.from(given), code.parameterSlot(i));
            convert(
                    code,
                    given,
                    lambda.called().parameterType(i),
                    taken.get(lambda.captured().size() + i));
        }
        invoke(code);
        ClassDesc result = lambda.method().returnType();
        ClassDesc found = isConstructor() ? body.owner() : body.invocationType().returnType();
        if (!result.equals(CD_void)) {
            convert(code, found, lambda.called().returnType(), result);
        } else if (TypeKind.from(found).slotSize() == 2) {
            code.pop2();
        } else if (!found.equals(CD_void)) {
            code.pop();
        }
        code.return_(TypeKind.from(result));
    }

    private boolean isConstructor() {
        return body.kind() == DirectMethodHandleDesc.Kind.CONSTRUCTOR;
    }

    /** The types of all arguments of the body, the object it is a method of among them. */
    private List<ClassDesc> taken() {
        return body.invocationType().parameterList();
    }

    private void invoke(CodeBuilder code) {
        MethodTypeDesc type = MethodTypeDesc.ofDescriptor(body.lookupDescriptor());
        switch (body.kind()) {
            case CONSTRUCTOR -> code.invokespecial(body.owner(), "<init>", type);
            case STATIC, INTERFACE_STATIC ->
                code.invokestatic(body.owner(), body.methodName(), type, body.isOwnerInterface());
            // Private methods of a class of the same nest are called like others.
            case VIRTUAL, SPECIAL -> code.invokevirtual(body.owner(), body.methodName(), type);
            case INTERFACE_VIRTUAL, INTERFACE_SPECIAL -> code.invokeinterface(body.owner(), body.methodName(), type);
            default -> throw new IllegalStateException(body + " (expected: a method)");
        }
    }

    /** From the type that is there to the one that is needed; {@code known} is what type arguments tell of it. */
    private static void convert(CodeBuilder code, ClassDesc from, ClassDesc known, ClassDesc to) {
        if (from.isPrimitive() && to.isPrimitive()) {
            code.conversion(TypeKind.from(from), TypeKind.from(to));
        } else if (from.isPrimitive()) {
            ClassDesc wrapper = WRAPPERS.get(from.descriptorString());
            code.invokestatic(wrapper, "valueOf", MethodTypeDesc.of(wrapper, from));
        } else if (to.isPrimitive()) {
            unwrap(code, from, known.isPrimitive() ? from : known, to);
        } else {
            cast(code, from, to);
        }
    }

    private static void unwrap(CodeBuilder code, ClassDesc from, ClassDesc wrapper, ClassDesc to) {
        ClassDesc number = WRAPPERS.entrySet().stream()
                .filter(entry -> entry.getValue().equals(wrapper))
                .map(Map.Entry::getKey)
                .map(ClassDesc::ofDescriptor)
                .findFirst()
                .orElse(to);
        ClassDesc type = WRAPPERS.get(number.descriptorString());
        cast(code, from, type);
        code.invokevirtual(type, number.displayName() + "Value", MethodTypeDesc.of(number));
        code.conversion(TypeKind.from(number), TypeKind.from(to));
    }

    static void cast(CodeBuilder code, ClassDesc from, ClassDesc to) {
        if (!to.isPrimitive() && !to.equals(from) && !to.equals(CD_Object)) {
            code.checkcast(to);
        }
    }
}
