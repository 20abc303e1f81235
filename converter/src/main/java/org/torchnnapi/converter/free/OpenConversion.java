package org.torchnnapi.converter.free;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Supplier;
import org.torchnnapi.converter.check.ExampleInputs;
import org.torchnnapi.converter.emit.OpenShapes;
import org.torchnnapi.converter.emit.SegmentModules;
import org.torchnnapi.converter.free.specialise.SizeTrial;
import org.torchnnapi.converter.free.specialise.Specialisation;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.lower.LoweredModel;
import org.torchnnapi.converter.report.Coverage;
import org.torchnnapi.converter.report.LevelCoverage;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.converter.shape.SizeFit;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.BlockCopy;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.GraphVerifier;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.SourceRange;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * Converts a graph for inputs whose sizes are open. It is converted for several sizes, in the same steps and into the same parts. What differs then are numbers:
 * of the NNAPI models, and of what stays TorchScript. Each is found to follow from the open sizes by a formula, which the converted module computes when it is
 * called with sizes for the first time; all values that were seen have to agree with it. What depends on the sizes in another way stays TorchScript:
 * tables that are made for a size, and nodes that NNAPI computes by such tables or by other operations for other sizes. Of models that take certain sizes only, the smallest
 * step from one size to the next is looked for, and the converted module asks for it.
 *
 * @param made    the converted module, or why there is none
 * @param samples arguments of the sizes whose NNAPI models the file holds
 * @param further arguments of sizes that nothing was made of
 * @param notes   what the user should know
 */
public record OpenConversion(FreeConversion made, List<Tensor> samples, List<List<Tensor>> further, List<String> notes) {
    /** Compilations that a part keeps, of the latest shapes. */
    private static final int MOST_SHAPES = 8;
    /** Steps from one size to the next, tried in this order. */
    private static final long[] STEPS = {1, 2, 4, 8, 16, 32, 64, 14, 28, 20, 160, 320};
    /** First sizes, where there is no example: of images, signals and tokens. Later ones are tried where models take no smaller ones, or no larger. */
    private static final long[] FIRST_SIZES = {96, 224, 16, 640, 3200, 16000};
    private static final long[] FIRST_NUMBERS = {16, 32, 8, 64};
    private static final long FIRST_BATCH = 2;
    /** Sizes of an example that may be halved, as there are then enough between. */
    private static final long LEAST_HALVED = 40;
    /** What many models need sizes to be multiples of. */
    private static final long COMMON_STEP = 32;
    /** By how much sizes that an example has in common are told apart: by what models take, of images, and of signals and tokens. */
    private static final long[] APART = {32, 64, 128, 28, 4, 1};
    /** Each round finds something that depends on the sizes. */
    private static final int MOST_ROUNDS = 60;
    /** Sizes for which an input has more elements are not tried: wide steps are those of signals, and images of such sizes would fill the memory. */
    private static final long MOST_ELEMENTS = 1 << 24;
    /** Once a search has taken so long, it tries no steps but the first. */
    private static final Duration LONGEST = Duration.ofSeconds(60);
    private static final String SAME = "the model must be the same for all sizes that are left open, but for numbers that follow from them";
    private static final String ADVICE = "leave fewer sizes open, or give each shape that comes by itself: --method forward --input SHAPE --method forward --input SHAPE";

    public OpenConversion {
        samples = List.copyOf(samples);
        further = List.copyOf(further);
        notes = List.copyOf(notes);
    }

    /**
     * Converts.
     *
     * @param graph    frozen and inlined, its first input the module; not changed
     * @param original the module
     * @param method   the name of the method
     * @param specs    of its arguments, all tensors
     * @param example  arguments whose elements and sizes are taken for a start, or null
     * @param kind     what elements are made where there is no example
     */
    public static OpenConversion convert(Graph graph, ScriptObject original, String method, List<InputSpec> specs, List<Tensor> example, ExampleInputs.Kind kind,
                                         FreeOptions options, ScriptRuntime runtime) {
        return new Search(() -> BlockCopy.of(graph), original, method, options, runtime).run(OpenInputs.apart(specs, example, kind));
    }

    /** Whether the model ran on the samples. */
    public boolean ran() {
        return made.ran();
    }

    /** A graph divided for one of the sizes. */
    private record Trial(Graph graph, SizeTrial steps, FreeConversion.Divided divided) {
        List<LoweredSegment> segments() {
            return divided.division().segments();
        }
    }

    /** What stands in the way of a conversion for these sizes. */
    private static class Unsuited extends Exception {
        private static final long serialVersionUID = 1;
        private final transient Refusal refusal;

        Unsuited(Refusal refusal) {
            super(refusal.found(), null, false, false);
            this.refusal = refusal;
        }
    }

    /** Graphs of two sizes that have other nodes. */
    private static final class OtherGraph extends Unsuited {
        private static final long serialVersionUID = 1;

        OtherGraph(Refusal refusal) {
            super(refusal);
        }
    }

    private static final class Search {
        private final Supplier<Graph> graphs;
        private final ScriptObject original;
        private final String method;
        private final FreeOptions options;
        private final ScriptRuntime runtime;
        private final List<String> notes = new ArrayList<>();
        private final long began = System.nanoTime();

        Search(Supplier<Graph> graphs, ScriptObject original, String method, FreeOptions options, ScriptRuntime runtime) {
            this.graphs = graphs;
            this.original = original;
            this.method = method;
            this.options = options;
            this.runtime = runtime;
        }

        OpenConversion run(OpenInputs apart) {
            Refusal first = null;
            for (OpenInputs inputs : List.of(apart, apart.tied(false), apart.tied(true), apart.tiedAsInExample())) {
                if (inputs != apart && (inputs.open().size() == apart.open().size() || inputs.differsFromExample())) {
                    continue;
                }
                List<long[]> bases = bases(inputs);
                for (int b = 0; b < bases.size(); b++) {
                    long[] base = bases.get(b);
                    boolean chance = areEqualByChance(inputs, base);
                    String failure = failure(inputs, base);
                    if (failure != null) {
                        first = first != null ? first : Refusal.ofModel(FreeConversion.MUST_RUN, failure, "a model that runs on " + inputs.text(base),
                            "give inputs that the model takes as examples");
                        continue;
                    }
                    Refusal why = null;
                    for (long step : STEPS) {
                        if (why != null && chance || TriedSizes.areLarge(inputs, base, step, MOST_ELEMENTS) || why != null && isLate()) {
                            continue;
                        }
                        TriedSizes tried = TriedSizes.of(inputs, base, step, sizes -> runs(inputs, base, sizes));
                        if (tried == null) {
                            continue;
                        }
                        try {
                            return converted(inputs, base, step, tried, why != null);
                        } catch (Unsuited e) {
                            why = why != null ? why : e.refusal;
                        }
                    }
                    first = why != null ? why : first != null ? first : Refusal.ofModel(FreeConversion.MUST_RUN, "it runs on " + inputs.text(base) + " but on no larger sizes",
                        "a model that takes several sizes", ADVICE);
                    long[] smaller = b == 0 && inputs.example() != null ? belowTheGreatest(inputs, base) : null;
                    if (smaller != null) {
                        bases.add(1, smaller);
                    } else if (why != null && !chance) {
                        break;
                    }
                }
            }
            return refused(first);
        }

        /** Half of an example's sizes where the model takes none that are much greater, as one with a table of positions does; null where it does, or no size is large. */
        private long[] belowTheGreatest(OpenInputs inputs, long... base) {
            long[] half = base.clone();
            long[] greater = base.clone();
            for (int k = 0; k < base.length; k++) {
                if (!inputs.isBatch(k) && base[k] >= LEAST_HALVED) {
                    half[k] = base[k] / 2;
                    greater[k] = base[k] + Math.max(COMMON_STEP, base[k] / 2 / COMMON_STEP * COMMON_STEP);
                }
            }
            return Arrays.equals(half, base) || failure(inputs, greater) == null ? null : half;
        }

        private OpenConversion refused(Refusal refusal) {
            return new OpenConversion(new FreeConversion(null, List.of(), Coverage.NONE, List.of(), null, List.of(refusal), false), List.of(), List.of(), notes);
        }

        private static List<long[]> bases(OpenInputs inputs) {
            List<long[]> bases = new ArrayList<>();
            if (inputs.example() != null) {
                long[] given = new long[inputs.open().size()];
                Arrays.setAll(given, inputs::exampleSize);
                bases.add(given);
                for (long apart : areEqualByChance(inputs, given) ? APART : new long[0]) {
                    long[] base = given.clone();
                    for (int k = 0; k < base.length; k++) {
                        base[k] += apart * equalBefore(inputs, given, k);
                    }
                    bases.add(base);
                }
                return bases;
            }
            for (int i = 0; i < FIRST_SIZES.length; i++) {
                long[] base = new long[inputs.open().size()];
                int others = 0;
                for (int k = 0; k < base.length; k++) {
                    long[] choice = inputs.isOfNumbers(k) ? FIRST_NUMBERS : FIRST_SIZES;
                    long first = choice[Math.min(i, choice.length - 1)];
                    // Sizes that are equal by chance would be taken for such as have to be.
                    base[k] = inputs.isBatch(k) ? FIRST_BATCH : first + others++ * (first >= 96 ? 64 : 4);
                }
                bases.add(base);
            }
            return bases;
        }

        /** Whether sizes that are open each by itself are the same, as those of square pictures: what is computed of one is then found to be the other's too. */
        private static boolean areEqualByChance(OpenInputs inputs, long... base) {
            boolean any = false;
            for (int k = 0; k < base.length; k++) {
                any |= equalBefore(inputs, base, k) > 0;
            }
            return any;
        }

        private static int equalBefore(OpenInputs inputs, long[] base, int number) {
            int equal = 0;
            for (int k = 0; k < number; k++) {
                equal += !inputs.isBatch(k) && !inputs.isBatch(number) && base[k] == base[number] ? 1 : 0;
            }
            return equal;
        }

        private boolean isLate() {
            return System.nanoTime() - began > LONGEST.toNanos();
        }

        private boolean runs(OpenInputs inputs, long[] base, long... sizes) {
            return inputs.elements(sizes) <= Math.max(MOST_ELEMENTS, inputs.elements(base) * 4) && failure(inputs, sizes) == null;
        }

        /** What the model says to inputs of these sizes, or null where it runs. */
        private String failure(OpenInputs inputs, long... sizes) {
            try {
                Specialisation.run(graphs.get(), inputs.at(sizes), original);
                return null;
            } catch (RuntimeException e) {
                return String.valueOf(e.getMessage());
            }
        }

        private OpenConversion converted(OpenInputs inputs, long[] base, long step, TriedSizes tried, boolean further) throws Unsuited {
            SizeTrial.Marks marks = new SizeTrial.Marks(SizeTrial.Likeness.AS_FOUND);
            List<long[]> sizes = tried.few();
            boolean many = false;
            for (int round = 0; round < MOST_ROUNDS; round++) {
                if (further && isLate()) {
                    throw new Unsuited(refusal(null, "more than can be told in " + LONGEST.getSeconds() + " s"));
                }
                Trial first = trial(inputs, base, marks, null);
                List<Trial> trials = new ArrayList<>(List.of(first));
                boolean news = false;
                try {
                    for (int i = 1; !news && i < sizes.size(); i++) {
                        Trial other = trial(inputs, sizes.get(i), marks, first);
                        trials.add(other);
                        news = compare(first, other, marks, inputs.text(sizes.get(i)));
                    }
                } catch (OtherGraph e) {
                    int next = marks.likeness().ordinal() + 1;
                    if (next == SizeTrial.Likeness.values().length) {
                        throw e;
                    }
                    marks = new SizeTrial.Marks(SizeTrial.Likeness.values()[next]);
                    news = true;
                }
                if (news) {
                    continue;
                }
                if (first.segments().isEmpty()) {
                    return without(first, inputs, base);
                }
                SizeFit fit = new SizeFit(sizes.toArray(new long[0][]));
                List<SizedModel> models = new ArrayList<>();
                boolean fits = true;
                for (int s = 0; s < first.segments().size(); s++) {
                    int number = s;
                    SizedModel model = new SizedModel(trials.stream().map(trial -> trial.segments().get(number)).collect(Streams.toList()));
                    fits &= model.fit(fit);
                    models.add(model);
                }
                if (!fits) {
                    if (!many && models.stream().noneMatch(SizedModel::hasOtherForms)) {
                        many = true;
                        sizes = tried.many();
                    } else {
                        mark(trials, models, marks);
                    }
                    continue;
                }
                try {
                    return written(inputs, base, step, tried, trials, fit, models);
                } catch (SizedGraph.Differs e) {
                    if (!many) {
                        many = true;
                        sizes = tried.many();
                        continue;
                    }
                    throw new Unsuited(refusal(e.node(), e.found()));
                }
            }
            throw new Unsuited(refusal(null, "more than " + MOST_ROUNDS + " things that depend on the sizes"));
        }

        private static Refusal refusal(Node node, String found) {
            return new Refusal(node == null ? "model" : node.kind(), node == null ? SourceRange.NONE : node.range(), List.of(), SAME, found, "the same for all sizes", ADVICE);
        }

        private Trial trial(OpenInputs inputs, long[] sizes, SizeTrial.Marks marks, Trial like) throws Unsuited {
            Graph graph = graphs.get();
            SizeTrial steps = new SizeTrial(marks, like == null ? null : like.steps());
            try {
                return new Trial(graph, steps, FreeConversion.divide(graph, inputs.at(sizes), original, options, steps));
            } catch (RuntimeException e) {
                throw new Unsuited(Refusal.ofModel(SAME, "for " + inputs.text(sizes) + ": " + e.getMessage(), "a model that runs", ADVICE));
            }
        }

        /** @return whether something that depends on the sizes was found */
        private static boolean compare(Trial first, Trial other, SizeTrial.Marks marks, String sizes) throws Unsuited {
            List<SizeTrial.Step> a = first.steps().steps();
            List<SizeTrial.Step> b = other.steps().steps();
            boolean news = false;
            for (int i = 0; i < Math.min(a.size(), b.size()); i++) {
                SizeTrial.Step one = a.get(i);
                SizeTrial.Step two = b.get(i);
                for (int n = 0; n < Math.min(one.size(), two.size()); n++) {
                    if (!one.kind(n).equals(two.kind(n))) {
                        throw new OtherGraph(refusal(one.node(n), one.kind(n) + ", for " + sizes + " " + two.kind(n)));
                    }
                }
                if (one.size() != two.size()) {
                    throw new OtherGraph(refusal(null, one.size() + " nodes, for " + sizes + " " + two.size()));
                }
                for (Map.Entry<Integer, List<Integer>> fold : one.folds().entrySet()) {
                    if (!Objects.equals(fold.getValue(), two.folds().get(fold.getKey()))) {
                        news |= marks.stays(i, fold.getKey());
                    }
                }
                if (news) {
                    return true;
                }
                if (one.refused() != null && two.refused() != null) {
                    Set<Integer> either = new TreeSet<>(one.refused());
                    either.addAll(two.refused());
                    either.removeIf(node -> one.refused().contains(node) && two.refused().contains(node));
                    for (int node : either) {
                        news |= marks.sized(i, node, "for " + sizes + " NNAPI takes it otherwise");
                    }
                    if (news) {
                        return true;
                    }
                }
            }
            if (a.size() != b.size()) {
                throw new OtherGraph(refusal(null, a.size() + " steps, for " + sizes + " " + b.size()));
            }
            SizeTrial.Step last = a.get(a.size() - 1);
            Set<Integer> either = new TreeSet<>(last.taken());
            either.removeAll(b.get(b.size() - 1).taken());
            for (int node : either) {
                news |= marks.sized(last.index(), node, "for " + sizes + " NNAPI does not take it");
            }
            return news;
        }

        private static void mark(List<Trial> trials, List<SizedModel> models, SizeTrial.Marks marks) throws Unsuited {
            int step = trials.get(0).steps().steps().size() - 1;
            boolean news = false;
            for (int s = 0; s < models.size(); s++) {
                for (Map.Entry<Integer, String> unfit : models.get(s).unfit().entrySet()) {
                    int node = nodeOf(trials.get(0), s, unfit.getKey());
                    // An operation may be missing, whose place a later node's has.
                    int other = nodeOf(trials.get(models.get(s).unlike()), s, unfit.getKey());
                    int earlier = other >= 0 && (other < node || node < 0) ? other : node;
                    boolean marked = earlier >= 0 && marks.sized(step, earlier, unfit.getValue());
                    news |= marked || node > earlier && marks.sized(step, node, unfit.getValue());
                }
            }
            if (!news) {
                Map.Entry<Integer, String> unfit = models.stream().flatMap(model -> model.unfit().entrySet().stream()).findFirst().get();
                throw new Unsuited(refusal(null, unfit.getValue()));
            }
        }

        /** The number of the node that an operation of a segment was made for; -1 where there is none, or the segment has fewer operations for this size. */
        private static int nodeOf(Trial trial, int segment, int operation) {
            List<SizeTrial.Step> steps = trial.steps().steps();
            List<Node> origins = trial.segments().get(segment).origins();
            Node node = operation < origins.size() ? origins.get(operation) : null;
            return node == null ? -1 : steps.get(steps.size() - 1).numberOf(node);
        }

        private OpenConversion without(Trial first, OpenInputs inputs, long... base) {
            FreeConversion made = new FreeConversion(null, List.of(), Coverage.NONE, List.of(), null, first.divided().division().refusals(), first.divided().division().unpaid());
            return new OpenConversion(made, inputs.at(base), List.of(), notes);
        }

        private OpenConversion written(OpenInputs inputs, long[] base, long step, TriedSizes tried, List<Trial> trials, SizeFit fit, List<SizedModel> models) throws SizedGraph.Differs {
            Trial first = trials.get(0);
            Segments.Outcome division = first.divided().division();
            List<LevelCoverage> levels = options.compares() ? FreeConversion.levels(first.graph(), first.divided().facts(), options, division) : List.of();
            Coverage coverage = FreeConversion.coverage(division, first.divided().facts());
            List<OpenShapes.OpenSize> read = inputs.readAt();
            List<Integer> told = read.stream().map(OpenShapes.OpenSize::argument).distinct().collect(Streams.toList());
            List<OpenShapes.OpenSize> readAmongTold = read.stream().map(place -> new OpenShapes.OpenSize(told.indexOf(place.argument()), place.dimension())).collect(Streams.toList());
            int most = inputs.isSetAtLoad() ? 0 : MOST_SHAPES;
            List<LoweredModel> lowered = models.stream().map(SizedModel::model).collect(Streams.toList());
            List<ScriptObject> modules = SegmentModules.of(lowered, models.stream().map(model -> model.shapes(readAmongTold, most)).collect(Streams.toList()),
                options.preference(), options.relaxed(), runtime, options.weights(), DividedGraph.firstPart(original));
            List<Tensor> samples = inputs.at(base);
            Map<Integer, int[]> asked = new TreeMap<>();
            ScriptObject module = null;
            for (Trial trial : trials) {
                Map<Value, ArgumentChecks.Asked> checks = ArgumentChecks.of(trial.graph(), samples, trial.divided().division(), trial.divided().facts().sources());
                if (trial == first) {
                    checks.forEach((tensor, check) -> {
                        if (check.shape() != null) {
                            Value argument = tensor.definition() == null ? tensor : tensor.definition().input(0);
                            asked.put(first.graph().inputs().indexOf(argument) - 1, check.shape());
                        }
                    });
                }
                checks.replaceAll((tensor, check) -> check.ofAnyShape());
                SizeTrial.clear(trial.graph().block());
                ScriptObject divided = DividedGraph.module(trial.graph(), trial.divided().division(), modules, original, method, options, checks, told);
                module = module == null ? divided : module;
            }
            SizedGraph graph = new SizedGraph(trials.stream().map(Trial::graph).collect(Streams.toList())).align();
            graph.compute(fit, read);
            graph.require(inputs, base, step);
            asked.forEach((argument, shape) -> graph.require(inputs, argument, shape));
            GraphVerifier.verify(first.graph());
            note(inputs, base, step);
            List<LoweredSegment> segments = new ArrayList<>();
            for (int s = 0; s < lowered.size(); s++) {
                LoweredSegment segment = first.segments().get(s);
                segments.add(new LoweredSegment(lowered.get(s), segment.inputs(), segment.outputs(), segment.origins(), 0));
            }
            List<List<Tensor>> further = tried.checked(sizes -> runs(inputs, base, sizes)).stream().map(inputs::at).collect(Streams.toList());
            return new OpenConversion(new FreeConversion(module, segments, coverage, levels, null, division.refusals(), division.unpaid()), samples, further, notes);
        }

        private void note(OpenInputs inputs, long[] base, long step) {
            List<String> open = new ArrayList<>();
            for (int k = 0; k < base.length; k++) {
                open.add(inputs.name(k) + (inputs.open().get(k).size() > 1 ? ", which are equal" : "")
                    + (step == 1 || inputs.isBatch(k) ? "" : base[k] % step == 0 ? ", a multiple of " + step : ", a multiple of " + step + " and " + base[k] % step));
            }
            notes.add("open: " + String.join("; ", open) + (inputs.isSetAtLoad() ? "; the first call decides" : "; each of the latest " + MOST_SHAPES + " shapes is compiled once and kept"));
        }
    }
}
