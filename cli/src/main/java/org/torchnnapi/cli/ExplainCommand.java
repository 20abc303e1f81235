package org.torchnnapi.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.ModelFile;
import org.torchnnapi.cli.io.OutputFiles;
import org.torchnnapi.cli.io.ShownText;
import org.torchnnapi.converter.level.Target;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.engine.NnapiPart;
import org.torchnnapi.nnapi.driver.DeviceProfile;
import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.driver.Preference;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.FeatureLevelNeed;
import org.torchnnapi.nnapi.model.LevelCheck;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.runtime.Compilation;
import org.torchnnapi.nnapi.runtime.Devices;
import org.torchnnapi.nnapi.runtime.Placement;
import org.torchnnapi.nnapi.runtime.PlacementRules;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.Strings;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows where each operation of a converted model would run, and why. */
@Command(
        name = "explain",
        header = "Shows where each operation runs, and why.",
        mixinStandardHelpOptions = true,
        description = "Shows where each NNAPI operation of a converted model runs: the device, the others with their "
                + "reasons, the cost of each boundary; "
                + "of another model, what runs in programs on the CPU. "
                + "With --profile the answer is for another device, described by a text file.",
        footer = {
            "",
            "Examples:",
            "  torch-nnapi explain net-nnapi.pt",
            "  torch-nnapi explain net-nnapi.pt --html net.html",
            "  torch-nnapi explain net-nnapi.pt --profile armnn-gpuacc --json -",
            "  torch-nnapi explain net-nnapi.pt --profile my-npu.profile --deny 'my-npu=ADD'",
            "  torch-nnapi explain net-nnapi.pt --android 28",
            "  torch-nnapi explain --profiles"
        })
final class ExplainCommand implements Callable<Integer> {
    @Parameters(index = "0", arity = "0..1", paramLabel = "MODEL", description = "A .pt2, .pt or .ptl file.")
    private Path file;

    @Option(
            names = "--profile",
            paramLabel = "NAME|FILE",
            description = "A device to place on, by the name of a built-in profile or a profile file (repeatable).")
    private List<String> profiles = new ArrayList<>();

    @Option(names = "--profiles", description = "List the built-in profiles with their sources.")
    private boolean listProfiles;

    @Option(
            names = "--preference",
            paramLabel = "WHAT",
            description = "low_power, fast_single_answer or sustained_speed, instead of what the model asks for.")
    private Preference preference;

    @Option(
            names = "--deny",
            paramLabel = "DEVICE=OPERATION",
            description = "Keeps operations of a name pattern from devices of a name pattern (repeatable).")
    private List<String> denied = new ArrayList<>();

    @Option(
            names = "--android",
            paramLabel = "API_LEVEL",
            description = "Also checks that the NNAPI of this Android takes the model: 27 (8.1) to 31 (12). "
                    + "The exit status is 1 if it does not.")
    private Integer android;

    @Option(
            names = "--json",
            paramLabel = "FILE",
            description = "Also writes the answer as JSON; - for standard output, in place of the text.")
    private String json;

    @Option(
            names = "--html",
            paramLabel = "FILE",
            description =
                    "Writes a page instead: the model's graph, where each operation runs and why, weights and times.")
    private Path html;

    @Spec
    private CommandSpec command;

    @Mixin
    private InputOptions inputOptions;

    @Override
    public Integer call() throws IOException {
        OutputFiles outputs = new OutputFiles(file).reading(inputOptions.files());
        for (String profile : profiles) {
            outputs.reading(ProfileFiles.files(profile));
        }
        outputs.checkUnlessStandard(json);
        if (html != null) {
            outputs.check(html);
        }
        if (listProfiles) {
            for (String name : DeviceProfile.builtIn()) {
                DeviceProfile profile = DeviceProfile.builtIn(name);
                System.out.println(name + " (" + profile.type() + ", " + profile.featureLevel() + ")");
                profile.sources().forEach(source -> System.out.println("  " + source));
            }
            return 0;
        }
        if (file == null) {
            throw new CommandFailure("model: none (expected: a converted .pt file, or --profiles)");
        }
        PlacementRules rules = rules();
        FeatureLevel level = level();
        try (LoadedModel model = ModelFile.load(file, engine(rules))) {
            List<Object> inputs = inputOptions.read(file, model, "forward");
            if (html != null && json == null) {
                ModelPages.explain(file, model, inputs, html);
                System.out.println("wrote " + html + " (" + Files.size(html) + " bytes)");
                return 0;
            }
            // Models are compiled when they first run, as only then all sizes are known.
            model.call("forward", inputs.toArray());
            List<String> programs = model.module().describeSpecialisations();
            if (model.nnapiParts().isEmpty() && (level != null || programs.isEmpty())) {
                throw new CommandFailure(
                        "model: " + file + " has no NNAPI part (expected: a converted file; see the convert command)");
            }
            if (html != null) {
                ModelPages.explain(file, model, inputs, html);
                if (!OutputFiles.STANDARD.equals(json)) {
                    System.out.println("wrote " + html + " (" + Files.size(html) + " bytes)");
                }
            }
            if (model.nnapiParts().isEmpty()) {
                reportPrograms(programs);
                return 0;
            }
            boolean passes = report(model, level);
            List<Placement> placements = model.nnapiParts().stream()
                    .flatMap(part -> part.compilations().stream())
                    .map(Compilation::placement)
                    .collect(Streams.toList());
            rules.withoutEffect(placements)
                    .forEach(rule -> command.commandLine()
                            .getErr()
                            .println("warning: rule \"" + ShownText.line(rule.toString())
                                    + "\" kept nothing from any device (expected: a device that this "
                                    + "answer names, and an operation of the model)"));
            return passes ? 0 : 1;
        }
    }

    private FeatureLevel level() {
        try {
            return android == null ? null : Target.ofAndroid(android).level();
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }

    private EngineOptions engine(PlacementRules rules) throws IOException {
        EngineOptions options =
                EngineOptions.defaults().withPreference(preference).withRules(rules);
        if (profiles.isEmpty()) {
            return options;
        }
        List<Driver> drivers = new ArrayList<>();
        for (String profile : profiles) {
            drivers.add(ProfileFiles.read(profile));
        }
        return options.withDevices(Devices.of(drivers.toArray(new Driver[0])));
    }

    private PlacementRules rules() {
        PlacementRules rules = PlacementRules.NONE;
        for (String rule : denied) {
            int equals = rule.indexOf('=');
            if (equals <= 0) {
                throw new CommandFailure(
                        "deny: " + rule + " (expected: DEVICE=OPERATION, such as cpu=CONV_2D or *=SOFTMAX)");
            }
            rules = rules.deny(rule.substring(0, equals), rule.substring(equals + 1));
        }
        return rules;
    }

    private void reportPrograms(List<String> programs) throws IOException {
        if (!OutputFiles.STANDARD.equals(json)) {
            System.out.println("No NNAPI part; on the CPU:");
            programs.forEach(System.out::println);
        }
        if (json != null) {
            OutputFiles.writeJson(Map.of("models", List.of(), "programs", programs), json);
        }
    }

    /** @return whether the level, if there is one, takes all models */
    private boolean report(LoadedModel model, FeatureLevel level) throws IOException {
        boolean passes = true;
        List<Map<String, Object>> answers = new ArrayList<>();
        for (NnapiPart part : model.nnapiParts()) {
            for (Compilation compilation : part.compilations()) {
                LevelCheck check = level == null ? null : LevelCheck.of(compilation.model(), level);
                passes &= check == null || check.passes();
                answers.add(answer(compilation, check));
                if (!OutputFiles.STANDARD.equals(json)) {
                    print(compilation, check);
                }
            }
        }
        if (json != null) {
            OutputFiles.writeJson(Map.of("models", answers), json);
        }
        return passes;
    }

    private static Map<String, Object> answer(Compilation compilation, LevelCheck check) {
        Map<String, Object> map = new LinkedHashMap<>();
        FeatureLevelNeed need = compilation.model().featureLevelNeed();
        map.put("featureLevel", need.level().toString());
        map.put("featureLevelReasons", need.reasons());
        if (check != null) {
            map.put("level", check.level().toString());
            map.put("lacking", check.found());
        }
        map.put("placement", compilation.placement().toMap());
        return map;
    }

    private static void print(Compilation compilation, LevelCheck check) {
        Model model = compilation.model();
        Placement placement = compilation.placement();
        System.out.println(Strings.counted(model.operations().size(), "operation") + "; lowest feature level: "
                + model.featureLevelNeed());
        if (check != null) {
            System.out.println(Target.text(check.level())
                    + (check.passes()
                            ? " takes the model"
                            : " does not take "
                                    + Strings.counted(check.refused().size(), "operation") + ": " + check.text()));
        }
        System.out.print(placement.toText());
    }
}
