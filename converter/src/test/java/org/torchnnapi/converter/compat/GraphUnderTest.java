package org.torchnnapi.converter.compat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.model.ModelAssembler;
import org.torchnnapi.converter.model.TensorOperand;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.CustomClass;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/** Builds small frozen graphs, lowers them, and shows the result as text. */
public final class GraphUnderTest {
    private final Graph graph = new Graph();
    private final List<InputSpec> specs = new ArrayList<>();
    private boolean int16;
    private List<int[]> returnShapes;

    public Value input(InputSpec spec) {
        specs.add(spec);
        return graph.addInput(Type.Basic.TENSOR, "x" + specs.size());
    }

    public Value floats(int... shape) {
        return input(InputSpec.of(DType.FLOAT32, shape));
    }

    public Value nhwc(int... shape) {
        return input(InputSpec.of(DType.FLOAT32, shape).asChannelsLast());
    }

    public Graph graph() {
        return graph;
    }

    public List<InputSpec> specs() {
        return specs;
    }

    GraphUnderTest int16() {
        int16 = true;
        return this;
    }

    GraphUnderTest returnShapes(int[]... shapes) {
        returnShapes = List.of(shapes);
        return this;
    }

    /**
     * A node with a tensor result; arguments are values, or runtime values that become constants (int[] for a list).
     */
    public Value op(String kind, Object... arguments) {
        return op(Type.Basic.TENSOR, kind, arguments);
    }

    public Value op(Type result, String kind, Object... arguments) {
        Node node = graph.create(kind);
        for (Object argument : arguments) {
            node.addInput(argument instanceof Value value ? value : constant(argument));
        }
        // As loaded code has it; which overload does not matter to what is true of all of them.
        OperatorRegistry.withBuiltins().schemas(kind).stream()
                .filter(schema -> schema.arguments().size() == arguments.length)
                .findFirst()
                .ifPresent(node::schema);
        Value output = node.addOutput(result);
        graph.block().append(node);
        return output;
    }

    public Value list(Value... items) {
        return op(Type.list(Type.Basic.TENSOR), "prim::ListConstruct", (Object[]) items);
    }

    public Value tuple(Value... items) {
        return op(Type.TupleType.of(Arrays.stream(items).map(Value::type).toList()), "prim::TupleConstruct", (Object[])
                items);
    }

    private Value constant(Object given) {
        Object value = given instanceof int[] ints
                ? ScriptList.ofInts(Arrays.stream(ints).asLongStream().toArray())
                : given instanceof Integer i ? (Object) i.longValue() : given;
        Type type = value == null
                ? Type.Basic.NONE
                : value instanceof Long
                        ? Type.Basic.INT
                        : value instanceof Double
                                ? Type.Basic.FLOAT
                                : value instanceof Boolean
                                        ? Type.Basic.BOOL
                                        : value instanceof Tensor
                                                ? Type.Basic.TENSOR
                                                : value instanceof ScriptList
                                                        ? Type.list(Type.Basic.INT)
                                                        : value instanceof String ? Type.Basic.STRING : Type.Basic.ANY;
        Node node = graph.constant(value, type);
        graph.block().append(node);
        return node.output();
    }

    public CompatGraphLowering.Outcome lower(Value result) {
        graph.block().addResult(result);
        return CompatGraphLowering.lower(graph, specs, int16, returnShapes);
    }

    /** Lowers and requires success. */
    public LoweredModel model(Value result) {
        CompatGraphLowering.Outcome outcome = lower(result);
        assertEquals(List.of(), outcome.refusals());
        assertNotNull(outcome.model());
        return outcome.model();
    }

    /** Lowers and requires these operations. */
    void lowersTo(Value result, String... operations) {
        assertEquals(String.join("\n", operations), String.join("\n", text(model(result))));
    }

    /** Lowers and requires one refusal whose text contains each part. */
    void isRefused(Value result, String... parts) {
        CompatGraphLowering.Outcome outcome = lower(result);
        assertNull(outcome.model());
        assertEquals(1, outcome.refusals().size(), () -> outcome.refusals().toString());
        Refusal refusal = outcome.refusals().get(0);
        for (String part : parts) {
            assertTrue(refusal.text().contains(part), refusal.text());
        }
    }

    /** One line per operation: arguments with their values or shapes, and the result. */
    static List<String> text(LoweredModel lowered) {
        ModelAssembler model = lowered.model();
        List<String> lines = new ArrayList<>();
        for (ModelAssembler.AssembledOperation operation : model.operations()) {
            lines.add(operation.type()
                    + Arrays.stream(operation.inputs())
                            .mapToObj(id -> operand(model, id))
                            .toList()
                            .toString() + " -> " + operand(model, operation.outputs()[0]));
        }
        return lines;
    }

    private static String operand(ModelAssembler model, int id) {
        for (ModelAssembler.Constant constant : model.constants()) {
            if (constant.operand() == id && constant.bytes() != null) {
                return immediate(model.operand(id).type(), constant.bytes());
            }
        }
        TensorOperand operand = model.operand(id);
        return operand.text() + (operand.scale() == 0 ? "" : "*" + operand.scale() + "@" + operand.zeroPoint());
    }

    private static String immediate(OperandType type, byte[] bytes) {
        ByteBuffer data = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        return switch (type) {
            case INT32 -> String.valueOf(data.getInt());
            case FLOAT32 -> String.valueOf(data.getFloat());
            case BOOL -> String.valueOf(bytes[0] != 0);
            default -> {
                int[] values = new int[bytes.length / 4];
                data.asIntBuffer().get(values);
                yield Arrays.toString(values);
            }
        };
    }

    /** Packed parameters whose state is the given tuple. */
    static CustomObject packed(String className, ScriptTuple state) {
        return new CustomObject(
                new CustomClass() {
                    @Override
                    public String qualifiedName() {
                        return "__torch__.torch.classes.quantized." + className;
                    }

                    @Override
                    public Object create() {
                        return state;
                    }

                    @Override
                    public Object call(Object self, String method, Object[] arguments) {
                        throw new IllegalArgumentException(method);
                    }

                    @Override
                    public Object getState(Object self) {
                        return self;
                    }

                    @Override
                    public Object setState(Object newState) {
                        return newState;
                    }
                },
                state);
    }
}
