package org.torchnnapi.nnapi.driver;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.nnapi.driver.Capabilities.Performance;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelValidator;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.Operand;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;

/**
 * A device described by a text file, so that any machine can tell what would run where on it. As a driver it answers like the
 * device, and computes as the reference does.
 *
 * <p>The file has one statement a line; {@code #} begins a comment.
 *
 * <pre>{@code
 * name NAME
 * version TEXT
 * type CPU|GPU|ACCELERATOR|OTHER
 * feature-level 27..30
 * source ADDRESS                                where the facts are from; may be repeated
 * performance *|TYPE... TIME POWER              relative to the CPU, lower is better
 * supports *|OPERATION *|TYPE...                operations with the tensor types they take
 * requires *|OPERATION fixed-shapes             every dimension known beforehand
 * requires *|OPERATION max-rank N               of every tensor operand
 * requires *|OPERATION constant INPUT...        inputs that must be constant
 * requires *|OPERATION input I of N is VALUE... a constant INT32 input of the signature with N inputs
 * }</pre>
 */
public final class DeviceProfile implements Driver {
    private static final List<String> BUILT_IN = List.of("nnapi-1.0", "nnapi-1.1", "nnapi-1.2", "nnapi-1.3", "armnn-cpuacc", "armnn-gpuacc",
            "quantized-npu");

    /** A demand on an operation. */
    private interface Constraint {
        /** What is found and demanded, or null if the demand is met. */
        String problem(Model model, Operation operation);
    }

    private final ReferenceDriver reference = new ReferenceDriver();
    private final String name;
    private String version = "profile";
    private DeviceType type = DeviceType.ACCELERATOR;
    private FeatureLevel level = FeatureLevel.V1_3;
    private final List<String> sources = new ArrayList<>();
    private final Map<OperandType, Performance> performance = new EnumMap<>(OperandType.class);
    private final Map<OperationType, Set<OperandType>> supported = new EnumMap<>(OperationType.class);
    private final Map<OperationType, List<Constraint>> constraints = new EnumMap<>(OperationType.class);

    private DeviceProfile(String name) {
        this.name = name;
    }

    /** The names of the profiles that come with the runtime. */
    public static List<String> builtIn() {
        return BUILT_IN;
    }

    /** @throws NnapiException BAD_DATA if no profile of this name comes with the runtime */
    public static DeviceProfile builtIn(String name) {
        if (BUILT_IN.contains(name)) {
            try (InputStream in = DeviceProfile.class.getResourceAsStream("profiles/" + name + ".profile")) {
                return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new NnapiException(ResultCode.BAD_DATA, "device profile " + name + ": " + e.getMessage(), e);
            }
        }
        throw new NnapiException(ResultCode.BAD_DATA, "device profile: " + name + " (expected: one of " + BUILT_IN + ")");
    }

    /** @throws NnapiException BAD_DATA naming the line, value and rule */
    public static DeviceProfile parse(String text) {
        DeviceProfile profile = null;
        int number = 0;
        for (String line : text.split("\\R")) {
            number++;
            String statement = line.replaceAll("#.*", "").trim();
            if (statement.isEmpty()) {
                continue;
            }
            String[] words = statement.split("\\s+");
            try {
                if (profile == null) {
                    if (!words[0].equals("name") || words.length != 2) {
                        throw new IllegalArgumentException("first statement: " + statement + " (expected: name NAME)");
                    }
                    profile = new DeviceProfile(words[1]);
                } else {
                    profile.read(words);
                }
            } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException | NegativeArraySizeException | NnapiException e) {
                throw new NnapiException(ResultCode.BAD_DATA, "device profile, line " + number + ": " + statement + ": " + e.getMessage(), e);
            }
        }
        if (profile == null) {
            throw new NnapiException(ResultCode.BAD_DATA, "device profile: empty (expected: name NAME first)");
        }
        return profile;
    }

    private void read(String[] words) {
        switch (words[0]) {
            case "version" -> version = words[1];
            case "type" -> type = DeviceType.valueOf(words[1]);
            case "feature-level" -> level = FeatureLevel.ofApiLevel(Integer.parseInt(words[1]));
            case "source" -> sources.add(words[1]);
            case "performance" -> {
                int last = words.length - 1;
                Performance figures = new Performance(Float.parseFloat(words[last - 1]), Float.parseFloat(words[last]));
                for (OperandType operandType : types(words, 1, last - 1)) {
                    performance.put(operandType, figures);
                }
            }
            case "supports" -> {
                for (OperationType operation : operations(words[1])) {
                    supported.computeIfAbsent(operation, k -> EnumSet.noneOf(OperandType.class)).addAll(types(words, 2, words.length));
                }
            }
            case "requires" -> {
                Constraint constraint = constraint(words);
                for (OperationType operation : operations(words[1])) {
                    constraints.computeIfAbsent(operation, k -> new ArrayList<>()).add(constraint);
                }
            }
            default -> throw new IllegalArgumentException(
                    words[0] + " (expected: version, type, feature-level, source, performance, supports or requires)");
        }
    }

    private static Set<OperationType> operations(String word) {
        return word.equals("*") ? EnumSet.allOf(OperationType.class) : EnumSet.of(OperationType.valueOf(word));
    }

    private static Set<OperandType> types(String[] words, int from, int to) {
        Set<OperandType> types = EnumSet.noneOf(OperandType.class);
        for (int i = from; i < to; i++) {
            if (words[i].equals("*")) {
                return EnumSet.allOf(OperandType.class);
            }
            types.add(OperandType.valueOf(words[i]));
        }
        return types;
    }

    private static Constraint constraint(String[] words) {
        switch (words[2]) {
            case "fixed-shapes" -> {
                return DeviceProfile::unknownShape;
            }
            case "max-rank" -> {
                int limit = Integer.parseInt(words[3]);
                return (model, operation) -> tooHighRank(model, operation, limit);
            }
            case "constant" -> {
                int[] positions = numbers(words, 3);
                return (model, operation) -> notConstant(model, operation, positions);
            }
            case "input" -> {
                int position = Integer.parseInt(words[3]);
                int count = Integer.parseInt(words[5]);
                int[] values = numbers(words, 7);
                return (model, operation) -> operation.inputCount() == count ? otherValue(model, operation, position, values) : null;
            }
            default -> throw new IllegalArgumentException(words[2] + " (expected: fixed-shapes, max-rank, constant or input)");
        }
    }

    private static int[] numbers(String[] words, int from) {
        int[] numbers = new int[words.length - from];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = Integer.parseInt(words[from + i]);
        }
        return numbers;
    }

    private static String unknownShape(Model model, Operation operation) {
        for (int i = 0; i < operation.inputCount() + operation.outputCount(); i++) {
            Operand operand = operand(model, operation, i);
            if (operand.type().isTensor() && operand.lifetime() != Lifetime.NO_VALUE && !operand.descriptor().isFullySpecified()) {
                return "shape: " + operand.descriptor() + " (expected: all dimensions known)";
            }
        }
        return null;
    }

    private static String tooHighRank(Model model, Operation operation, int limit) {
        for (int i = 0; i < operation.inputCount() + operation.outputCount(); i++) {
            Operand operand = operand(model, operation, i);
            if (operand.descriptor().rank() > limit) {
                return "rank: " + operand.descriptor().rank() + " (expected: <= " + limit + ")";
            }
        }
        return null;
    }

    private static String notConstant(Model model, Operation operation, int[] positions) {
        for (int position : positions) {
            if (position < operation.inputCount()) {
                Lifetime lifetime = model.operand(operation.input(position)).lifetime();
                if (!lifetime.isConstant() && lifetime != Lifetime.NO_VALUE) {
                    return "input " + position + ": " + lifetime + " (expected: constant)";
                }
            }
        }
        return null;
    }

    private static String otherValue(Model model, Operation operation, int position, int[] values) {
        Operand operand = model.operand(operation.input(position));
        if (!operand.lifetime().isConstant() || operand.value().remaining() != Integer.BYTES) {
            return "input " + position + ": " + operand.lifetime() + " (expected: a constant)";
        }
        int found = operand.value().getInt(0);
        for (int value : values) {
            if (value == found) {
                return null;
            }
        }
        return "input " + position + ": " + found + " (expected: one of " + Arrays.toString(values) + ")";
    }

    private static Operand operand(Model model, Operation operation, int position) {
        int inputs = operation.inputCount();
        return model.operand(position < inputs ? operation.input(position) : operation.output(position - inputs));
    }

    /** Addresses of the documents the profile was made from. */
    public List<String> sources() {
        return List.copyOf(sources);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public String version() {
        return version;
    }

    @Override
    public DeviceType type() {
        return type;
    }

    @Override
    public FeatureLevel featureLevel() {
        return level;
    }

    @Override
    public Capabilities capabilities() {
        Performance relaxed = performance.getOrDefault(OperandType.TENSOR_FLOAT32, Performance.UNKNOWN);
        Performance half = performance.getOrDefault(OperandType.TENSOR_FLOAT16, Performance.UNKNOWN);
        Performance control = performance.getOrDefault(OperandType.SUBGRAPH, Performance.UNKNOWN);
        return new Capabilities(performance, half.execTime() < relaxed.execTime() ? half : relaxed, control, control);
    }

    @Override
    public List<String> supportedOperations(Model model) {
        List<String> answers = new ArrayList<>();
        for (Operation operation : model.operations()) {
            answers.add(refusal(model, operation));
        }
        return answers;
    }

    private String refusal(Model model, Operation operation) {
        FeatureLevel needed = ModelValidator.verdict(model, operation).need().level();
        if (!level.includes(needed)) {
            return "feature level: " + needed + " (expected: at most " + level + ")";
        }
        Set<OperandType> types = supported.get(operation.type());
        if (types == null) {
            return operation.type() + " (expected: one of " + supported.size() + " operations the device has)";
        }
        for (int i = 0; i < operation.inputCount() + operation.outputCount(); i++) {
            OperandType operandType = operand(model, operation, i).type();
            if (operandType.isTensor() && !isIndex(operandType) && !types.contains(operandType)) {
                return operandType.name().toLowerCase(Locale.ROOT) + " (expected: one of " + types + ")";
            }
        }
        for (Constraint constraint : constraints.getOrDefault(operation.type(), List.of())) {
            String problem = constraint.problem(model, operation);
            if (problem != null) {
                return problem;
            }
        }
        return null;
    }

    /** Shapes, axes, biases and truth values go with every type. */
    private static boolean isIndex(OperandType type) {
        return type == OperandType.TENSOR_INT32 || type == OperandType.TENSOR_BOOL8;
    }

    @Override
    public PreparedModel prepare(Model model, PrepareOptions options) {
        return reference.prepare(model, options);
    }
}
