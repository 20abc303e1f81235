package org.torchnnapi.nnapi.driver;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.nnapi.driver.Capabilities.Performance;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.ModelValidator;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.OperandType;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.Problem;
import org.torchnnapi.nnapi.model.ResultCode;
import org.torchnnapi.tensor.platform.InputStreams;
import org.torchnnapi.tensor.platform.Strings;

/**
 * A device described by a text file, so that any machine can tell what would run where on it. As a driver it answers
 * like the device, and computes as the reference does.
 *
 * <p>The file has one statement a line; {@code #} begins a comment.
 *
 * <pre>{@code
 * name NAME
 * version TEXT
 * type CPU|GPU|ACCELERATOR|OTHER
 * feature-level 27..31|1000006..1000008
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
    private static final int LONGEST_SHOWN = 60;
    private static final List<String> BUILT_IN = List.of(
            "nnapi-1.0", "nnapi-1.1", "nnapi-1.2", "nnapi-1.3", "armnn-cpuacc", "armnn-gpuacc", "quantized-npu");

    /** The forms of statements behind the first, by their first word. */
    private static final Map<String, String> FORMS = Map.of(
            "version",
            "version TEXT",
            "type",
            "type CPU|GPU|ACCELERATOR|OTHER",
            "feature-level",
            "feature-level 27..31|1000006..1000008",
            "source",
            "source ADDRESS",
            "performance",
            "performance *|TYPE... TIME POWER",
            "supports",
            "supports *|OPERATION *|TYPE...",
            "requires",
            "requires *|OPERATION DEMAND...");

    private final String name;
    private String version = "profile";
    private DeviceType type = DeviceType.ACCELERATOR;
    private FeatureLevel level = FeatureLevel.V1_3;
    private final List<String> sources = new ArrayList<>();
    private final Map<OperandType, Performance> performance = new EnumMap<>(OperandType.class);
    private final Map<OperationType, Set<OperandType>> supported = new EnumMap<>(OperationType.class);
    private final Map<OperationType, List<DeviceConstraint>> constraints = new EnumMap<>(OperationType.class);

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
                return parse(new String(InputStreams.readAll(in), StandardCharsets.UTF_8));
            } catch (IOException e) {
                throw new NnapiException(ResultCode.BAD_DATA, "device profile " + name + ": " + e.getMessage(), e);
            }
        }
        throw new NnapiException(
                ResultCode.BAD_DATA, "device profile: " + name + " (expected: one of " + BUILT_IN + ")");
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
                        throw new IllegalArgumentException("as first statement (expected: name NAME)");
                    }
                    profile = new DeviceProfile(words[1]);
                } else {
                    profile.read(words);
                }
            } catch (IllegalArgumentException | NnapiException e) {
                throw new NnapiException(
                        ResultCode.BAD_DATA,
                        "device profile, line " + number + ": " + shown(statement) + ": " + e.getMessage(),
                        e);
            }
        }
        if (profile == null) {
            throw new NnapiException(ResultCode.BAD_DATA, "device profile: empty (expected: name NAME first)");
        }
        return profile;
    }

    /** The beginning of it, without what a terminal would obey: the file may be of any kind. */
    private static String shown(String statement) {
        return Strings.beginning(statement.replaceAll("[^\\x20-\\x7e]", "?"), LONGEST_SHOWN);
    }

    private void read(String[] words) {
        String form = FORMS.get(words[0]);
        if (form == null) {
            throw new IllegalArgumentException(
                    words[0] + " (expected: version, type, feature-level, source, performance, supports or requires)");
        }
        if (words.length < form.split(" ").length) {
            throw new IllegalArgumentException(words.length + " words (expected: " + form + ")");
        }
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
                    supported
                            .computeIfAbsent(operation, k -> EnumSet.noneOf(OperandType.class))
                            .addAll(types(words, 2, words.length));
                }
            }
            default -> {
                DeviceConstraint constraint = DeviceConstraint.parse(Arrays.copyOfRange(words, 2, words.length));
                for (OperationType operation : operations(words[1])) {
                    constraints
                            .computeIfAbsent(operation, k -> new ArrayList<>())
                            .add(constraint);
                }
            }
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
    public List<DeviceRefusal> refusals(Model model) {
        List<DeviceRefusal> refusals = new ArrayList<>();
        for (int i = 0; i < model.operations().size(); i++) {
            Problem problem = problem(model, model.operations().get(i));
            if (problem != null) {
                refusals.add(new DeviceRefusal(i, problem));
            }
        }
        return refusals;
    }

    private Problem problem(Model model, Operation operation) {
        FeatureLevel needed = ModelValidator.verdict(model, operation).need().level();
        if (!level.includes(needed)) {
            return Problem.of("feature level", needed, "at most " + level);
        }
        Set<OperandType> types = supported.get(operation.type());
        if (types == null) {
            return Problem.of("operation", operation.type(), "one of " + supported.size() + " that the device has");
        }
        for (int i = 0; i < operation.inputCount() + operation.outputCount(); i++) {
            OperandType operandType =
                    DeviceConstraint.operand(model, operation, i).type();
            if (operandType.isTensor() && !isIndex(operandType) && !types.contains(operandType)) {
                return Problem.of("type", operandType, "one of " + types);
            }
        }
        for (DeviceConstraint constraint : constraints.getOrDefault(operation.type(), List.of())) {
            Problem problem = constraint.problem(model, operation);
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
    public boolean isDescription() {
        return true;
    }

    /** @throws NnapiException UNAVAILABLE_DEVICE always: the device is not here */
    @Override
    public PreparedModel prepare(Model model, PrepareOptions options) {
        throw new NnapiException(
                ResultCode.UNAVAILABLE_DEVICE, "device " + name + ": a description (expected: a device that is here)");
    }
}
