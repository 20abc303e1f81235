import java.lang.classfile.instruction.InvokeDynamicInstruction;
import java.lang.constant.ClassDesc;
import java.lang.constant.ConstantDesc;
import java.lang.constant.DirectMethodHandleDesc;
import java.lang.constant.MethodTypeDesc;
import java.util.List;
import java.util.Optional;

/**
 * What a class says of a lambda or method reference of its own.
 *
 * @param captured what it takes along when it is made
 * @param type the interface
 * @param name of the interface's method
 * @param method the type of that method without its type arguments
 * @param called the same with them, as code calls this one
 * @param body the method that is run, whose first arguments are the captured values
 */
record Lambda(
        List<ClassDesc> captured,
        ClassDesc type,
        String name,
        MethodTypeDesc method,
        MethodTypeDesc called,
        DirectMethodHandleDesc body) {

    /** The lambda that a site makes; empty if it makes none, or one that stays as it is. */
    static Optional<Lambda> of(InvokeDynamicInstruction site) {
        DirectMethodHandleDesc maker = site.bootstrapMethod();
        if (!maker.owner().descriptorString().equals("Ljava/lang/invoke/LambdaMetafactory;")
                || !maker.methodName().equals("metafactory")) {
            return Optional.empty();
        }
        List<ConstantDesc> arguments = site.bootstrapArgs();
        MethodTypeDesc made = site.typeSymbol();
        Lambda lambda = new Lambda(
                made.parameterList(),
                made.returnType(),
                site.name().stringValue(),
                (MethodTypeDesc) arguments.get(0),
                (MethodTypeDesc) arguments.get(2),
                (DirectMethodHandleDesc) arguments.get(1));
        return lambda.isOfNumbers() ? Optional.empty() : Optional.of(lambda);
    }

    private boolean isOfNumbers() {
        return method.parameterCount() > 0
                && method.returnType().isPrimitive()
                && !method.returnType().descriptorString().equals("V")
                && method.parameterList().stream().allMatch(ClassDesc::isPrimitive);
    }

    boolean captures() {
        return !captured.isEmpty();
    }
}
