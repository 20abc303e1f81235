import static java.lang.classfile.ClassFile.ACC_FINAL;
import static java.lang.classfile.ClassFile.ACC_PUBLIC;
import static java.lang.classfile.ClassFile.ACC_STATIC;
import static java.lang.classfile.ClassFile.ACC_SUPER;
import static java.lang.classfile.ClassFile.ACC_SYNTHETIC;
import static java.lang.constant.ConstantDescs.CD_Object;
import static java.lang.constant.ConstantDescs.CD_int;
import static java.lang.constant.ConstantDescs.CD_void;
import static java.lang.constant.ConstantDescs.CLASS_INIT_NAME;
import static java.lang.constant.ConstantDescs.INIT_NAME;

import java.lang.classfile.Attributes;
import java.lang.classfile.ClassBuilder;
import java.lang.classfile.ClassFile;
import java.lang.classfile.ClassModel;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.Label;
import java.lang.classfile.TypeKind;
import java.lang.classfile.attribute.NestHostAttribute;
import java.lang.classfile.constantpool.ClassEntry;
import java.lang.classfile.instruction.SwitchCase;
import java.lang.constant.ClassDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The class {@code Owner$$Interface} of all lambdas that one class makes of one interface. An object has the number of
 * its lambda and what the lambda captured; the method of the interface goes by the number. A lambda that captures
 * nothing is a constant of the class.
 */
final class MergedClass {
    /** Between the names of the owner and the interface. */
    static final String SEPARATOR = "$$";

    private static final String NUMBER = "number";
    private static final String MAKER = "of";

    private final ClassModel owner;
    private final ClassDesc type;
    private final ClassDesc name;
    private final Map<Lambda, Integer> lambdas = new LinkedHashMap<>();

    MergedClass(ClassModel owner, ClassDesc type) {
        this.owner = owner;
        this.type = type;
        ClassDesc symbol = owner.thisClass().asSymbol();
        // The package goes in where the interface is from another one: two may have interfaces of the same name.
        String last = type.packageName().equals(symbol.packageName())
                ? type.displayName()
                : type.descriptorString()
                        .substring(1, type.descriptorString().length() - 1)
                        .replace('/', '_');
        name = ClassDesc.of(symbol.packageName(), symbol.displayName() + SEPARATOR + last);
    }

    ClassDesc name() {
        return name;
    }

    void add(Lambda lambda) {
        lambdas.putIfAbsent(lambda, lambdas.size());
    }

    /** In place of a lambda's site: takes what it captures from the stack and leaves the object there. */
    void load(CodeBuilder code, Lambda lambda) {
        int number = lambdas.get(lambda);
        if (lambda.captures()) {
            code.loadConstant(number).invokestatic(name, MAKER, maker(lambda).changeReturnType(type));
        } else {
            code.getstatic(name, constant(number), type);
        }
    }

    private static String constant(int number) {
        return "LAMBDA_" + number;
    }

    /** The type of the constructor, from which that of the method that calls it differs in what is returned. */
    private static MethodTypeDesc maker(Lambda lambda) {
        return MethodTypeDesc.of(CD_void, lambda.captured())
                .insertParameterTypes(lambda.captured().size(), CD_int);
    }

    byte[] bytes(ClassFile format) {
        ClassEntry host = owner.findAttribute(Attributes.nestHost())
                .map(NestHostAttribute::nestHost)
                .orElse(owner.thisClass());
        return format.build(name, builder -> {
            builder.withVersion(owner.majorVersion(), owner.minorVersion())
                    .withFlags(ACC_FINAL | ACC_SUPER | ACC_SYNTHETIC)
                    .withInterfaceSymbols(type)
                    .with(NestHostAttribute.of(host.asSymbol()))
                    .withField(NUMBER, CD_int, ACC_FINAL);
            fields(builder);
            constants(builder);
            Set<MethodTypeDesc> makers = new LinkedHashSet<>();
            lambdas.keySet().forEach(lambda -> makers.add(maker(lambda)));
            makers.forEach(maker -> constructor(builder, maker));
            Lambda first = lambdas.keySet().iterator().next();
            builder.withMethodBody(first.name(), first.method(), ACC_PUBLIC, this::dispatch);
        });
    }

    /** Room for the most values of each kind that any lambda captures. */
    private void fields(ClassBuilder builder) {
        Map<String, ClassDesc> fields = new LinkedHashMap<>();
        for (Lambda lambda : lambdas.keySet()) {
            List<String> names = names(lambda.captured());
            for (int i = 0; i < names.size(); i++) {
                fields.put(names.get(i), fieldType(lambda.captured().get(i)));
            }
        }
        fields.forEach((field, fieldType) -> builder.withField(field, fieldType, ACC_FINAL));
    }

    private static List<String> names(List<ClassDesc> captured) {
        Map<TypeKind, Integer> counts = new EnumMap<>(TypeKind.class);
        List<String> names = new ArrayList<>();
        for (ClassDesc value : captured) {
            TypeKind kind = TypeKind.from(value).asLoadable();
            names.add(kind.name().toLowerCase(Locale.ROOT) + counts.merge(kind, 1, Integer::sum));
        }
        return names;
    }

    private static ClassDesc fieldType(ClassDesc captured) {
        TypeKind kind = TypeKind.from(captured).asLoadable();
        return kind == TypeKind.REFERENCE ? CD_Object : kind.upperBound();
    }

    private void constants(ClassBuilder builder) {
        List<Integer> numbers = lambdas.entrySet().stream()
                .filter(entry -> !entry.getKey().captures())
                .map(Map.Entry::getValue)
                .toList();
        if (numbers.isEmpty()) {
            return;
        }
        numbers.forEach(number -> builder.withField(constant(number), type, ACC_STATIC | ACC_FINAL));
        builder.withMethodBody(CLASS_INIT_NAME, MethodTypeDesc.of(CD_void), ACC_STATIC, code -> {
            for (int number : numbers) {
                code.new_(name)
                        .dup()
                        .loadConstant(number)
                        .invokespecial(name, INIT_NAME, MethodTypeDesc.of(CD_void, CD_int))
                        .putstatic(name, constant(number), type);
            }
            code.return_();
        });
    }

    private void constructor(ClassBuilder builder, MethodTypeDesc maker) {
        List<ClassDesc> captured = maker.parameterList().subList(0, maker.parameterCount() - 1);
        List<String> names = names(captured);
        builder.withMethodBody(INIT_NAME, maker, 0, code -> {
            code.aload(0).invokespecial(CD_Object, INIT_NAME, MethodTypeDesc.of(CD_void));
            for (int i = 0; i < captured.size(); i++) {
                code.aload(0)
                        .loadLocal(TypeKind.from(captured.get(i)), code.parameterSlot(i))
                        .putfield(name, names.get(i), fieldType(captured.get(i)));
            }
            code.aload(0)
                    .iload(code.parameterSlot(captured.size()))
                    .putfield(name, NUMBER, CD_int)
                    .return_();
        });
        if (!captured.isEmpty()) {
            builder.withMethodBody(MAKER, maker.changeReturnType(type), ACC_STATIC, code -> {
                code.new_(name).dup();
                for (int i = 0; i < maker.parameterCount(); i++) {
                    code.loadLocal(TypeKind.from(maker.parameterType(i)), code.parameterSlot(i));
                }
                code.invokespecial(name, INIT_NAME, maker).areturn();
            });
        }
    }

    private void dispatch(CodeBuilder code) {
        Map<Lambda, Label> labels = new LinkedHashMap<>();
        List<SwitchCase> cases = new ArrayList<>();
        lambdas.forEach((lambda, number) -> {
            labels.put(lambda, code.newLabel());
            cases.add(SwitchCase.of(number, labels.get(lambda)));
        });
        if (cases.size() > 1) {
            code.aload(0)
                    .getfield(name, NUMBER, CD_int)
                    .tableswitch(cases.removeLast().target(), cases);
        }
        labels.forEach((lambda, label) -> {
            code.labelBinding(label);
            run(code, lambda);
        });
    }

    private void run(CodeBuilder code, Lambda lambda) {
        Call call = new Call(lambda);
        call.begin(code);
        List<String> names = names(lambda.captured());
        for (int i = 0; i < names.size(); i++) {
            ClassDesc captured = lambda.captured().get(i);
            code.aload(0).getfield(name, names.get(i), fieldType(captured));
            Call.cast(code, fieldType(captured), captured);
        }
        call.end(code);
    }
}
