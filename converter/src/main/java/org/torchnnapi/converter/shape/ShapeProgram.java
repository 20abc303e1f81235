package org.torchnnapi.converter.shape;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.torchnnapi.tensor.DType;

/**
 * What a converted model does when it sees its first inputs: compute the sizes left open, write them into the
 * serialized model, and make the output templates.
 */
public final class ShapeProgram {
    /** A step of the program. */
    public sealed interface Step {}

    /** Sets the variable of an operand's size. */
    public record Assign(SizeExpression.OperandSize target, SizeExpression value) implements Step {}

    /** Fails unless a size is as expected; {@code right} is a variable or a number. */
    public record RequireEqual(SizeExpression.OperandSize left, SizeExpression right) implements Step {}

    /** Writes a size into the serialized model at an index that counts 32-bit words. */
    public record Store(int word, SizeExpression.OperandSize value) implements Step {}

    /**
     * An output to allocate before the run.
     *
     * @param sizes numbers and variables
     * @param scale quantization step, used for quint8 only
     * @param zeroPoint used for quint8 only
     */
    public record Template(DType dtype, List<SizeExpression> sizes, double scale, int zeroPoint) {
        public Template {
            sizes = List.copyOf(sizes);
        }
    }

    private final List<Step> steps = new ArrayList<>();
    private final List<Template> templates = new ArrayList<>();

    /** A copy to which steps can be added. */
    public ShapeProgram copy() {
        ShapeProgram copy = new ShapeProgram();
        copy.steps.addAll(steps);
        copy.templates.addAll(templates);
        return copy;
    }

    public void assign(int operand, int dimension, SizeExpression value) {
        steps.add(new Assign(new SizeExpression.OperandSize(operand, dimension), value));
    }

    /** The size of one operand is that of another. */
    public void forward(int toOperand, int toDimension, int fromOperand, int fromDimension) {
        assign(toOperand, toDimension, new SizeExpression.OperandSize(fromOperand, fromDimension));
    }

    public void requireEqual(int operand, int dimension, SizeExpression expected) {
        steps.add(new RequireEqual(new SizeExpression.OperandSize(operand, dimension), expected));
    }

    public void store(int word, int operand, int dimension) {
        steps.add(new Store(word, new SizeExpression.OperandSize(operand, dimension)));
    }

    public void addTemplate(Template template) {
        templates.add(template);
    }

    public List<Step> steps() {
        return Collections.unmodifiableList(steps);
    }

    public List<Template> templates() {
        return Collections.unmodifiableList(templates);
    }
}
