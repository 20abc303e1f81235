package org.torchnnapi.page;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.torchnnapi.converter.emit.OperationLines;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.differ.LayerDifference;
import org.torchnnapi.engine.LoadedModel;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.interp.NodeCall;
import org.torchnnapi.execution.interp.RegionBreak;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.runtime.ProfiledStep;
import org.torchnnapi.torchscript.format.WholeFile;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.value.ScriptException;

/**
 * A page about a model: its graph from modules down to operations, where each runs and why not elsewhere, what it
 * takes, its weights, and a time line of a profile. The page is one file that needs nothing else, neither network nor
 * server. Confined to one thread.
 */
public final class ModelPage {
    private static final Pattern CALLED = Pattern.compile("\\s*call (\\S+)");
    private static final double NANOS_OF_MILLI = 1e6;
    /** Stands for equal. */
    private static final double MOST_DECIBELS = 200;

    private final String title;
    private final Picture picture = new Picture();
    private final NnapiGraphs nnapi = new NnapiGraphs(picture);
    private final Item root;
    private final Map<Item, SourceRange> ranges = new HashMap<>();
    private Map<Node, List<Item>> byNode = Map.of();
    private final Map<String, String> notes = new LinkedHashMap<>();
    private final List<Map<String, Object>> steps = new ArrayList<>();
    private String timed = "";

    private ModelPage(String title) {
        this.title = title;
        this.root = picture.add(null, Item.Kind.GROUP, title);
    }

    /**
     * Of a model as it is stored; nothing is run, so shapes and devices are not known.
     *
     * @param title of the page, such as the file's name
     * @param method of the model to draw
     * @throws IllegalArgumentException if the model has no such method
     */
    public static ModelPage of(String title, ScriptModule module, String method) {
        ModelPage page = new ModelPage(title);
        page.draw(module, method, List.of());
        return page;
    }

    /**
     * Of a model that is run: twice as it always is, so that devices and programs are known, and twice operator by
     * operator, for shapes and times.
     *
     * @param inputs runtime values, as for {@link LoadedModel#call(String, Object...)}
     * @throws IllegalArgumentException if there is no such method or the arguments do not fit
     * @throws org.torchnnapi.engine.ModelException if the model fails as it runs
     */
    public static ModelPage of(String title, LoadedModel model, String method, List<?> inputs) {
        ModelPage page = new ModelPage(title);
        model.call(method, inputs.toArray());
        model.call(method, inputs.toArray());
        page.run(model, method, inputs);
        return page;
    }

    /** Says something about the whole model, under a title of its own. */
    public ModelPage note(String name, String text) {
        notes.put(name, text);
        return this;
    }

    /**
     * Adds what stands against converting operations, each on the operation it is about; those without one of its own
     * are noted of the whole.
     *
     * @param converted whether the others were converted
     */
    public ModelPage refusals(List<Refusal> refusals, boolean converted) {
        Map<String, List<Refusal>> places =
                refusals.stream().collect(Collectors.groupingBy(refusal -> refusal.node() + " " + refusal.where()));
        ranges.forEach((item, range) -> {
            List<String> operator = item.facts.get("Operator");
            if (operator == null || item.kind != Item.Kind.OPERATION) {
                return;
            }
            String kind = operator.get(0).replaceFirst("\\..*", "");
            List<Refusal> here = places.remove(kind + " " + range);
            if (here == null) {
                here = places.getOrDefault("told " + kind + " " + range, List.of());
            } else {
                places.put("told " + kind + " " + range, here);
            }
            here.forEach(refusal -> item.fact(
                    "Why not NNAPI",
                    refusal.rule() + ": " + refusal.found() + " (expected: " + refusal.expected() + ")"
                            + (refusal.advice().isEmpty() ? "" : "; " + refusal.advice())));
            if (here.isEmpty() && converted) {
                item.fact("NNAPI", "can be converted");
            }
        });
        places.forEach((place, left) -> {
            if (!place.startsWith("told ")) {
                left.forEach(refusal -> root.fact("Why not NNAPI", refusal.text()));
            }
        });
        return this;
    }

    /**
     * Adds a time line of the steps of a run.
     *
     * @param measured in the order of their work, all runs together
     * @param runs that were measured, at least 1
     */
    public ModelPage profile(List<ProfiledStep> measured, int runs) {
        for (ProfiledStep step : measured) {
            Map<String, Object> entry = new LinkedHashMap<>();
            entry.put("name", step.name());
            entry.put("device", step.device().isEmpty() ? "interpreter" : step.device());
            entry.put("millis", step.nanos() / NANOS_OF_MILLI / runs);
            entry.put(
                    "items",
                    step.origins().stream()
                            .map(this::item)
                            .filter(Objects::nonNull)
                            .map(item -> item.number)
                            .collect(Collectors.toCollection(LinkedHashSet::new)));
            steps.add(entry);
        }
        timed = "the step that each is computed in";
        note("Profile", "mean of " + runs + " runs; the time line shows the steps in the order of their work");
        return this;
    }

    /** What was drawn of an operation or a call of an operator; null where that is not known. */
    private Item item(Object origin) {
        if (origin instanceof NodeCall call) {
            List<Item> items = byNode.getOrDefault(call.node(), List.of());
            return items.size() == 1
                    ? items.get(0)
                    : call.occurrence() >= 0 && call.occurrence() < items.size() ? items.get(call.occurrence()) : null;
        }
        return origin instanceof Operation operation ? nnapi.item(operation) : null;
    }

    /**
     * Adds how operators differ from those of another file of the model, or on another device.
     *
     * @param layers in the order of the model's work
     */
    public ModelPage differences(List<LayerDifference> layers) {
        Set<Item> told = new HashSet<>();
        for (LayerDifference layer : layers) {
            String place = layer.first().operator() + " " + layer.first().range();
            Item item = picture.items.stream()
                    .filter(candidate -> !told.contains(candidate) && place.equals(place(candidate)))
                    .findFirst()
                    .orElse(null);
            if (item == null) {
                continue;
            }
            told.add(item);
            item.decibels = layer.decibels();
            item.fact(
                    "Difference",
                    "with " + layer.second().operator() + " there: signal to noise "
                            + NnapiGraphs.number(layer.decibels()) + " dB");
            item.fact(
                    "Difference",
                    "largest " + NnapiGraphs.number(layer.largest())
                            + (Double.isNaN(layer.ulps()) ? "" : ", " + NnapiGraphs.number(layer.ulps()) + " ulps")
                            + (Double.isNaN(layer.quanta())
                                    ? ""
                                    : ", " + NnapiGraphs.number(layer.quanta()) + " quanta"));
        }
        return note(
                "Differences",
                told.size() + " of " + layers.size() + " layers in common are shown; colour: difference");
    }

    private String place(Item item) {
        List<String> operator = item.facts.get("Operator");
        return operator == null || !ranges.containsKey(item)
                ? null
                : operator.get(0).replaceFirst("\\..*", "") + " " + ranges.get(item);
    }

    private void draw(ScriptModule module, String method, List<Observation.Call> calls) {
        Function function = module.method(method);
        if (function == null) {
            throw new IllegalArgumentException("method: " + method + " (expected: one of "
                    + module.object().type().methods().stream()
                            .map(Function::name)
                            .toList() + ")");
        }
        root.under = ScriptGraphs.shorten(module.object().type().name());
        root.fact("Class", root.under);
        root.fact("Method", function.schema().toString());
        nnapi.lines(OperationLines.read(module.source().extraFiles()));
        ScriptGraphs graphs = new ScriptGraphs(picture, nnapi, calls);
        graphs.method(root, function, module.object());
        ranges.putAll(graphs.ranges());
        byNode = graphs.items();
        if (picture.isFull()) {
            note("Not drawn", "what lies beyond the first " + Picture.MOST_ITEMS + " items");
        }
    }

    private void run(LoadedModel model, String method, List<?> inputs) {
        List<Observation.Call> calls = List.of();
        try {
            calls = Observation.of(model.module(), method, inputs);
            timed = "operators called one by one; NNAPI operations as their device estimates them";
        } catch (ScriptException e) {
            note("Not observed", "the model runs compiled but not operator by operator: " + e.getMessage());
        }
        draw(model.module(), method, calls);
        Set<String> called = model.module().describeSpecialisations().stream()
                .map(CALLED::matcher)
                .filter(Matcher::matches)
                .map(m -> m.group(1))
                .collect(Collectors.toSet());
        Map<String, List<RegionBreak>> breaks = model.module().interpreter().breaks().stream()
                .collect(Collectors.groupingBy(b -> b.node() + " " + b.place()));
        ranges.forEach((item, range) -> {
            if (!item.device.isEmpty() || item.isGroup() || item.facts.get("Operator") == null) {
                return;
            }
            String kind = item.facts.get("Operator").get(0).replaceFirst("\\..*", "");
            List<RegionBreak> here = breaks.get(kind + " " + range);
            if (here != null) {
                item.device = "interpreter";
                here.forEach(broken -> item.fact("Why not in a program", broken.reason()));
            } else {
                item.device = called.contains(kind) ? LoadedModel.OPERATOR : LoadedModel.PROGRAM;
            }
            item.fact(
                    "Runs on",
                    switch (item.device) {
                        case "interpreter" -> "the CPU, interpreted";
                        case LoadedModel.OPERATOR ->
                            "the CPU, called by itself (as operators of this kind are at least once in this model)";
                        default -> "the CPU, compiled into a program";
                    });
        });
    }

    /**
     * Writes the page; the file is either whole or as it was before.
     *
     * @throws IOException if it cannot be written
     */
    public void write(Path file) throws IOException {
        WholeFile.write(file, html());
    }

    /** The page. */
    public String html() {
        Layout.run(root);
        Map<String, Object> data = new LinkedHashMap<>();
        data.put("title", title);
        data.put("notes", notes);
        data.put("timed", timed);
        data.put("root", tree(root));
        data.put("steps", steps);
        data.put("counts", nnapi.counts());
        return Html.page(title, data, "graph");
    }

    private static Map<String, Object> tree(Item item) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("id", item.number);
        map.put("kind", item.kind.name().toLowerCase(Locale.ROOT));
        map.put("label", item.label);
        if (!item.under.isEmpty()) {
            map.put("under", item.under);
        }
        map.put("at", new double[] {tenths(item.x), tenths(item.y), tenths(item.width), tenths(item.height)});
        if (!item.device.isEmpty()) {
            map.put("device", item.device);
        }
        if (!Double.isNaN(item.millis)) {
            map.put("millis", (float) item.millis);
        }
        if (!Double.isNaN(item.decibels)) {
            map.put("decibels", (float) Math.max(-MOST_DECIBELS, Math.min(MOST_DECIBELS, item.decibels)));
        }
        if (!item.facts.isEmpty()) {
            map.put("facts", item.facts);
        }
        if (!item.weights.isEmpty()) {
            map.put("weights", item.weights);
        }
        if (item.head > 0) {
            map.put("head", tenths(item.head));
        }
        if (!item.children.isEmpty()) {
            map.put("children", item.children.stream().map(ModelPage::tree).toList());
        }
        if (!item.links.isEmpty()) {
            map.put(
                    "links",
                    item.links.stream()
                            .map(link -> List.of(
                                    link.from.number,
                                    link.to.number,
                                    link.points.stream()
                                            .map(point -> Arrays.stream(point)
                                                    .map(ModelPage::tenths)
                                                    .toArray())
                                            .toList()))
                            .toList());
        }
        return map;
    }

    private static double tenths(double value) {
        return Math.round(value * 10) / 10.0;
    }
}
