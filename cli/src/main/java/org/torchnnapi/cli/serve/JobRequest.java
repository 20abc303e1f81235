package org.torchnnapi.cli.serve;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.GivenInputs;
import org.torchnnapi.cli.io.OutputFiles;
import org.torchnnapi.cli.serve.ServedFiles.Kind;
import org.torchnnapi.cli.serve.ServedFiles.Model;

/**
 * What a page asked for, as a command line. It names no files but those of the workspace.
 *
 * @param models what it is done with, one or two
 */
record JobRequest(Action action, List<Model> models, ServedFiles workspace, List<String> options, JsonNode asked) {
    static final String PAGE = "page.html";
    static final String REPORT = "report.json";

    private static final int MOST_INPUTS = 64;
    private static final int MOST_CHARACTERS = 1 << 16;
    private static final List<String> ARRAYS = List.of(".npy");

    /** @throws HttpError if it is none that can be done */
    static JobRequest of(JsonNode asked, ServedFiles workspace, CommandForms forms) throws IOException {
        Action action = Action.of(asked.path("action").asText());
        List<Model> models =
                new ArrayList<>(List.of(workspace.model(asked.path("model").asInt())));
        if (action == Action.DIFF) {
            models.add(workspace.model(asked.path("second").asInt()));
            if (models.get(0).id() == models.get(1).id()) {
                throw HttpError.badRequest("models: one and the same (expected: two to compare)");
            }
        }
        boolean reads = hasInputs(action, asked) || action == Action.QUANTIZE;
        JobRequest request =
                new JobRequest(action, models, workspace, forms.words(action, asked.path("options"), reads), asked);
        // What is wrong with the inputs is told at once.
        request.words(workspace.folder());
        return request;
    }

    /** Of what is saved, a program of torch.export alone is recorded on inputs. */
    private static boolean hasInputs(Action action, JsonNode asked) {
        return action.hasInputs() || action == Action.SAVE && ending(asked).equals("pt2");
    }

    private static String ending(JsonNode asked) {
        return asked.path("form").asText("pt");
    }

    /** @param folder where the command writes */
    List<String> words(Path folder) throws IOException {
        List<String> words = new ArrayList<>(List.of(action.command()));
        models.forEach(model -> words.add(model.file().toString()));
        words.addAll(options);
        if (hasInputs(action, asked)) {
            words.addAll(inputs());
        }
        if (action == Action.QUANTIZE) {
            words.addAll(calibration());
        }
        if (action == Action.RUN) {
            words.addAll(ran(folder));
        } else if (action.written().endings().isEmpty()) {
            words.add("--html=" + folder.resolve(PAGE));
        } else {
            words.addAll(made(folder));
        }
        if (action == Action.DIFF || !action.written().endings().isEmpty() && action != Action.SAVE) {
            words.add("--json=" + folder.resolve(REPORT));
        }
        return words;
    }

    private List<String> inputs() throws IOException {
        return switch (asked.path("inputs").path("kind").asText()) {
            case "own" -> List.of();
            case "typed" -> typed();
            case "files" -> files();
            default -> throw HttpError.badRequest("inputs: none (expected: own, typed or files)");
        };
    }

    private List<String> typed() throws IOException {
        String text = asked.path("inputs").path("text").asText();
        List<String> lines =
                text.lines().map(String::strip).filter(line -> !line.isEmpty()).toList();
        if (lines.isEmpty() || lines.size() > MOST_INPUTS || text.length() > MOST_CHARACTERS) {
            throw HttpError.badRequest(
                    "inputs: " + lines.size() + " lines (expected: one for each input of the model, such as "
                            + "float32[1,3,224,224] or tensor([[0.5, 1.5]]))");
        }
        try {
            // A name that a line holds would be that of any file of this machine.
            for (Path named : new GivenInputs(lines).files()) {
                throw HttpError.badRequest(
                        "input: " + named + " (expected: values; drop files onto the page to use them)");
            }
        } catch (CommandFailure e) {
            throw HttpError.badRequest(e.getMessage());
        }
        return lines.stream().map(line -> "--input=" + line).toList();
    }

    /** Arrays are a model's inputs in the order of their names; else a picture is its only one. */
    private List<String> files() throws IOException {
        List<Path> all = workspace.files(Kind.INPUTS);
        List<Path> arrays = ending(all, ARRAYS);
        List<Path> pictures = ending(all, FileName.PICTURES);
        List<String> words = new ArrayList<>();
        ending(all, List.of(".json")).forEach(file -> words.add("--preprocessor=" + file));
        if (!arrays.isEmpty()) {
            arrays.forEach(file -> words.add("--input=" + file));
        } else if (!pictures.isEmpty()) {
            words.add("--input=" + (isOfClasses() ? workspace.folder(Kind.INPUTS) : pictures.get(0)));
        } else {
            throw HttpError.badRequest("inputs: no file (expected: pictures or .npy files, dropped onto the page)");
        }
        return words;
    }

    private static List<Path> ending(List<Path> files, List<String> endings) {
        return files.stream()
                .filter(file -> FileName.hasEnding(file.getFileName().toString(), endings))
                .toList();
    }

    private boolean isOfClasses() {
        return action == Action.RUN && options.stream().anyMatch(word -> word.startsWith("--top="));
    }

    private boolean isFolder(List<Path> all) {
        return isOfClasses()
                && asked.path("inputs").path("kind").asText().equals("files")
                && ending(all, ARRAYS).isEmpty();
    }

    private List<String> ran(Path folder) throws IOException {
        List<Path> all = workspace.files(Kind.INPUTS);
        List<String> words = new ArrayList<>();
        if (isOfClasses()) {
            ending(all, List.of(".txt")).stream().limit(1).forEach(file -> words.add("--labels=" + file));
        }
        words.add(isFolder(all) ? "--json=" + folder.resolve(REPORT) : "--output=" + folder.resolve("answer"));
        return words;
    }

    private List<String> calibration() throws IOException {
        if (options.contains("--dynamic")) {
            return List.of();
        }
        boolean own = asked.path("calibration").asText().equals("own");
        if (!own && workspace.files(Kind.CALIBRATION).isEmpty()) {
            throw HttpError.badRequest(
                    "calibration: no file (expected: pictures, .npy or .npz files, dropped onto the page)");
        }
        return List.of("--calibrate=" + (own ? "bundled" : workspace.folder(Kind.CALIBRATION)));
    }

    /** A model of another ending keeps its name where it is only saved. */
    private List<String> made(Path folder) {
        String ending = ending(asked);
        if (!action.written().endings().contains(ending)) {
            throw HttpError.badRequest("form: another one (expected: "
                    + String.join(", ", action.written().endings()) + ")");
        }
        Path model = models.get(0).file();
        boolean keepsName =
                action == Action.SAVE && !FileName.hasEnding(models.get(0).name(), List.of("." + ending));
        String name = OutputFiles.beside(
                        model, keepsName ? "" : action.written().added())
                .getFileName()
                .toString();
        Path target = folder.resolve(name.substring(0, name.lastIndexOf('.') + 1) + ending);
        return ending.equals("tflite") ? List.of("--to=tflite", "--output=" + target) : List.of("--output=" + target);
    }

    /** As a person types it, in a folder with the files. */
    String shown(List<String> words) {
        StringBuilder text = new StringBuilder("torch-nnapi");
        for (String word : words) {
            String plain = told(word);
            text.append(' ')
                    .append(plain.matches("[A-Za-z0-9_./=,:+@-]+") ? plain : "'" + plain.replace("'", "'\\''") + "'");
        }
        return text.toString();
    }

    /** Text with the names of files as the page shows them. */
    String told(String text) {
        return text.replace(workspace.folder() + java.io.File.separator, "")
                .replaceAll("\\b(?:model|job)-[0-9]+[/\\\\]", "");
    }
}
