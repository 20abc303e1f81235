import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_boolean;
import static java.lang.constant.ConstantDescs.CD_int;

import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassElement;
import java.lang.classfile.ClassFile;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeElement;
import java.lang.classfile.Label;
import java.lang.classfile.MethodModel;
import java.lang.classfile.TypeKind;
import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The code of a record's {@code equals} and {@code hashCode} that the compiler left to the virtual machine. */
final class RecordMethods {
    private static final ClassDesc OBJECTS = ClassDesc.of("java.util", "Objects");
    /** Where static methods compare and hash numbers that are no ints. */
    private static final Map<TypeKind, ClassDesc> WRAPPERS = Map.of(
            TypeKind.LONG,
            ClassDesc.of("java.lang", "Long"),
            TypeKind.FLOAT,
            ClassDesc.of("java.lang", "Float"),
            TypeKind.DOUBLE,
            ClassDesc.of("java.lang", "Double"));

    private final MethodModel method;
    private final ClassDesc owner;
    private final List<DirectMethodHandleDesc> fields;

    private RecordMethods(MethodModel method, InvokeDynamicInstruction site) {
        this.method = method;
        List<DirectMethodHandleDesc> getters = new ArrayList<>();
        for (ConstantDesc argument : site.bootstrapArgs()) {
            if (argument instanceof DirectMethodHandleDesc getter) {
                getters.add(getter);
            }
        }
        owner = (ClassDesc) site.bootstrapArgs().getFirst();
        fields = getters;
    }

    /** Writes such a method; empty for any other element, and for texts, which are seldom asked for. */
    static Optional<RecordMethods> of(ClassElement element) {
        if (!(element instanceof MethodModel method) || method.code().isEmpty()) {
            return Optional.empty();
        }
        for (CodeElement instruction : method.code().get()) {
            if (instruction instanceof InvokeDynamicInstruction site
                    && !site.name().equalsString("toString")
                    && site.bootstrapMethod().owner().descriptorString().equals("Ljava/lang/runtime/ObjectMethods;")) {
                return Optional.of(new RecordMethods(method, site));
            }
        }
        return Optional.empty();
    }

    void write(ClassBuilder builder) {
        boolean hashes = method.methodName().equalsString("hashCode");
        builder.withMethodBody(
                method.methodName().stringValue(),
                method.methodTypeSymbol(),
                method.flags().flagsMask() | ClassFile.ACC_PUBLIC,
                code -> {
                    if (hashes) {
                        hash(code);
                    } else {
                        compare(code);
                    }
                });
    }

    private void hash(CodeBuilder code) {
        code.iconst_0();
        for (DirectMethodHandleDesc field : fields) {
            ClassDesc type = field.invocationType().returnType();
            TypeKind kind = TypeKind.from(type).asLoadable();
            code.bipush(31).imul().aload(0).getfield(owner, field.methodName(), type);
            if (kind == TypeKind.REFERENCE) {
                code.invokestatic(OBJECTS, "hashCode", MethodTypeDesc.of(CD_int, CD_Object));
            } else if (kind != TypeKind.INT) {
                code.invokestatic(WRAPPERS.get(kind), "hashCode", MethodTypeDesc.of(CD_int, type));
            }
            code.iadd();
        }
        code.ireturn();
    }

    private void compare(CodeBuilder code) {
        Label differs = code.newLabel();
        code.aload(1).instanceOf(owner).ifeq(differs);
        for (DirectMethodHandleDesc field : fields) {
            ClassDesc type = field.invocationType().returnType();
            TypeKind kind = TypeKind.from(type).asLoadable();
            code.aload(0)
                    .getfield(owner, field.methodName(), type)
                    .aload(1)
                    .checkcast(owner)
                    .getfield(owner, field.methodName(), type);
            if (kind == TypeKind.REFERENCE) {
                code.invokestatic(OBJECTS, "equals", MethodTypeDesc.of(CD_boolean, CD_Object, CD_Object))
                        .ifeq(differs);
            } else if (kind == TypeKind.INT) {
                code.if_icmpne(differs);
            } else {
                code.invokestatic(WRAPPERS.get(kind), "compare", MethodTypeDesc.of(CD_int, type, type))
                        .ifne(differs);
            }
        }
        code.iconst_1().ireturn().labelBinding(differs).iconst_0().ireturn();
    }
}
