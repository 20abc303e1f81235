package org.torchnnapi.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.Function;
import org.torchnnapi.api.ClassScores;
import org.torchnnapi.api.ScoredClass;
import org.torchnnapi.cli.io.CalibrationFiles;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.io.Images;
import org.torchnnapi.cli.io.Progress;
import org.torchnnapi.cli.io.TextTable;
import org.torchnnapi.cli.io.ValuePrinter;
import org.torchnnapi.tensor.Tensor;

/**
 * What a model answers for each picture of a folder. Pictures in folders of the folder are of the class that such a one
 * is called after; how many are answered so is counted.
 */
final class PictureFolder {
    private static final List<String> ENDINGS = List.of(".png", ".jpg", ".jpeg", ".gif", ".bmp");
    private static final double PERCENT = 100;

    /** @param folder what it lies in, or null where that tells no class */
    private record Picture(Path file, String folder) {}

    /**
     * @param best the classes that are shown
     * @param expected the class's number, or null
     */
    private record Answer(Path file, List<ScoredClass> best, Integer expected) {
        boolean isWithin(int first) {
            return best.stream().limit(first).anyMatch(scored -> scored.number() == expected);
        }
    }

    private final Path folder;
    private final List<String> labels;
    private final int top;
    private final List<Picture> pictures = new ArrayList<>();
    private final List<String> folders;
    /** Whether folders are classes by their order, as torchvision's ImageFolder counts them: they are no numbers. */
    private final boolean areOrdered;

    private final List<Answer> answers = new ArrayList<>();
    private final List<String> damaged = new ArrayList<>();

    /**
     * @param labels names of the classes, or none
     * @param top how many classes of each picture are shown
     * @throws CommandFailure if there is no picture
     */
    PictureFolder(Path folder, List<String> labels, int top) throws IOException {
        this.folder = folder;
        this.labels = labels;
        this.top = top;
        TreeSet<String> names = new TreeSet<>();
        for (Path child : CalibrationFiles.listed(folder)) {
            if (Files.isDirectory(child)) {
                for (Path file : CalibrationFiles.listed(child)) {
                    if (isPicture(file)) {
                        names.add(child.getFileName().toString());
                        pictures.add(new Picture(file, child.getFileName().toString()));
                    }
                }
            } else if (isPicture(child)) {
                pictures.add(new Picture(child, null));
            }
        }
        folders = List.copyOf(names);
        areOrdered = labels.isEmpty() && !folders.stream().allMatch(PictureFolder::isNumber);
        if (pictures.isEmpty()) {
            throw new CommandFailure("folder: " + folder + " holds no picture (expected: files that end in "
                    + String.join(", ", ENDINGS) + ", or folders of such, called after classes)");
        }
    }

    private static boolean isPicture(Path file) {
        String name = file.getFileName().toString().toLowerCase(Locale.ROOT);
        return ENDINGS.stream().anyMatch(name::endsWith);
    }

    /**
     * Runs a model on all pictures, one by one.
     *
     * @param model gives the scores of a picture's classes
     * @throws CommandFailure if no picture can be read, or a folder is called after no class
     */
    PictureFolder run(Images images, Function<Tensor, Tensor> model) {
        try (Progress progress = new Progress()) {
            for (Picture picture : pictures) {
                progress.update("run", answers.size() + damaged.size(), pictures.size());
                Tensor input;
                try {
                    input = images.load(picture.file);
                } catch (CommandFailure e) {
                    damaged.add(e.getMessage());
                    continue;
                }
                ClassScores scores = new ClassScores(model.apply(input));
                Integer expected = picture.folder == null ? null : classOf(picture.folder, scores.classes());
                answers.add(new Answer(picture.file, scores.top(0, top), expected));
            }
        }
        if (answers.isEmpty()) {
            throw new CommandFailure(
                    "folder: none of " + pictures.size() + " pictures can be read, such as: " + damaged.get(0));
        }
        return this;
    }

    private int classOf(String name, int classes) {
        for (int i = 0; i < labels.size(); i++) {
            if (labels.get(i).equalsIgnoreCase(name)) {
                return i;
            }
        }
        int number = areOrdered ? folders.indexOf(name) : isNumber(name) ? Integer.parseInt(name) : -1;
        if (number < 0 || number >= classes) {
            throw new CommandFailure("folder: " + name + " (expected: "
                    + (labels.isEmpty() ? "a class's number below " + classes : "one of the labels, or its number")
                    + ", as the pictures in it are of that class)");
        }
        return number;
    }

    private static boolean isNumber(String name) {
        return name.matches("[0-9]{1,6}");
    }

    private String label(int number) {
        return number < labels.size()
                ? labels.get(number)
                : areOrdered && number < folders.size() ? folders.get(number) : "";
    }

    private List<Answer> judged() {
        return answers.stream().filter(answer -> answer.expected != null).toList();
    }

    private double share(int first) {
        return (double) judged().stream()
                        .filter(answer -> answer.isWithin(first))
                        .count()
                / judged().size();
    }

    /** A line for each class that is shown of a picture, then how many are right, and what was left out. */
    String text() {
        boolean isJudged = !judged().isEmpty();
        TextTable table = isJudged
                ? new TextTable("picture", "class", "score", "label", "right")
                : new TextTable("picture", "class", "score", "label");
        for (Answer answer : answers) {
            for (ScoredClass scored : answer.best) {
                boolean isFirst = scored == answer.best.get(0);
                List<Object> row = new ArrayList<>(List.of(
                        isFirst ? folder.relativize(answer.file) : "",
                        scored.number(),
                        ValuePrinter.number(scored.score()),
                        label(scored.number())));
                if (isJudged) {
                    row.add(
                            answer.expected == null
                                    ? ""
                                    : scored.number() == answer.expected ? "yes" : isFirst ? "no" : "");
                }
                table.row(row.toArray());
            }
        }
        StringBuilder text = new StringBuilder(table.toString());
        if (isJudged) {
            long right = judged().stream().filter(answer -> answer.isWithin(1)).count();
            text.append(String.format(
                    Locale.ROOT, "%naccuracy: %.2f %% (%d of %d)", share(1) * PERCENT, right, judged().size()));
            if (top > 1) {
                text.append(String.format(Locale.ROOT, ", among the first %d: %.2f %%", top, share(top) * PERCENT));
            }
            text.append(System.lineSeparator());
        }
        return text.toString();
    }

    /** Of each picture that cannot be read why, in a line. */
    List<String> damaged() {
        return damaged;
    }

    /** The same as {@link #text} for programs. */
    Map<String, Object> json() {
        List<Object> all = new ArrayList<>();
        for (Answer answer : answers) {
            List<Object> best = new ArrayList<>();
            for (ScoredClass scored : answer.best) {
                Map<String, Object> one = new LinkedHashMap<>();
                one.put("class", scored.number());
                one.put("score", scored.score());
                one.put("label", label(scored.number()));
                best.add(one);
            }
            Map<String, Object> picture = new LinkedHashMap<>();
            picture.put("picture", folder.relativize(answer.file).toString());
            picture.put("best", best);
            if (answer.expected != null) {
                picture.put("expected", answer.expected);
            }
            all.add(picture);
        }
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("pictures", all);
        if (!judged().isEmpty()) {
            map.put("accuracy", share(1));
        }
        map.put("unreadable", damaged);
        return map;
    }
}
