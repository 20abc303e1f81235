package org.torchnnapi.converter.partition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Supplier;
import org.torchnnapi.converter.check.ExampleInputs;
import org.torchnnapi.converter.emit.OpenShapes;
import org.torchnnapi.converter.emit.SegmentModules;
import org.torchnnapi.converter.input.InputSpec;
import org.torchnnapi.converter.model.LoweredModel;
import org.torchnnapi.converter.partial.PartialEvaluation;
import org.torchnnapi.converter.partial.SearchWork;
import org.torchnnapi.converter.partial.SizeTrial;
import org.torchnnapi.converter.report.Refusal;
import org.torchnnapi.operators.shape.SizeExpressionInference;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.torchscript.ir.Block;
import org.torchnnapi.torchscript.ir.BlockCopy;
import org.torchnnapi.torchscript.ir.Graph;
import org.torchnnapi.torchscript.ir.GraphVerifier;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.support.Structures;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * Converts a graph for inputs whose sizes are open. It is converted for several sizes, in the same steps and into the
 * same parts. What differs then are numbers: of the NNAPI models, and of what stays TorchScript. Each is found to
 * follow from the open sizes by a formula, which the converted module computes when it is called with sizes for the
 * first time; all values that were seen have to agree with it. What depends on the sizes in another way stays
 * TorchScript: tables that are made for a size, and nodes that NNAPI computes by such tables or by other operations for
 * other sizes. Of models that take certain sizes only, the smallest step from one size to the next is looked for, and
 * the converted module asks for it.
 *
 * @param made the converted module, or why there is none
 * @param samples arguments of the sizes whose NNAPI models the file holds
 * @param further arguments of sizes that nothing was made of
 * @param notes what the user should know
 */
public record DynamicShapeConversion(
        ConvertedMethod made, List<Tensor> samples, List<List<Tensor>> further, List<String> notes) {
    /** Compilations that a part keeps, of the latest shapes. */
    private static final int MOST_SHAPES = 8;
    /** Steps from one size to the next, tried in this order. */
    private static final long[] STEPS = {1, 2, 4, 8, 16, 32, 64, 14, 28, 20, 160, 320};
    /**
     * First sizes, where there is no example: of images, signals and tokens. Later ones are tried where models take no
     * smaller ones, or no larger.
     */
    private static final long[] FIRST_SIZES = {96, 224, 16, 640, 3200, 16000};

    private static final long[] FIRST_NUMBERS = {16, 32, 8, 64};
    private static final long FIRST_BATCH = 2;
    /** Sizes of an example that may be halved, as there are then enough between. */
    private static final long LEAST_HALVED = 40;
    /** What many models need sizes to be multiples of. */
    private static final long COMMON_STEP = 32;
    /**
     * By how much sizes that an example has in common are told apart: by what models take, of images, and of signals
     * and tokens.
     */
    private static final long[] APART = {32, 64, 128, 28, 4, 1};
    /** Each round finds something that depends on the sizes. */
    private static final int MOST_ROUNDS = 60;
    /** By how much a size is another than those that it is tied to, to see whether it has to be the same. */
    private static final long[] SPLIT = {32, 4, 1};
    /**
     * Sizes that nobody gave are not tried where the inputs have more elements together: wide steps are those of
     * signals, and images of such sizes would fill the memory.
     */
    private static final long MOST_ELEMENTS = 1 << 22;
    /** Once a search has visited so many nodes, it ends, if it has an answer by then. */
    private static final long MOST_WORK = 60_000;
    /** The same for the first sizes and the least step, once a few rounds have found things that depend on sizes. */
    private static final long MOST_WORK_FIRST = 100_000;

    private static final int FEW_ROUNDS = 2;

    private static final String EXAMPLE = "--example says which sizes to begin with";

    public DynamicShapeConversion {
        samples = List.copyOf(samples);
        further = List.copyOf(further);
        notes = List.copyOf(notes);
    }

    /**
     * Converts.
     *
     * @param prepared the method, its arguments all tensors; its samples are taken for a start, if there are any. Its
     *     graph is not changed
     * @param specs of the arguments
     * @param kind what elements are made where there are no samples
     */
    public static DynamicShapeConversion convert(
            ConversionState prepared, List<InputSpec> specs, ExampleInputs.Kind kind) {
        List<?> samples = prepared.get(PassResult.SAMPLES);
        return new Search(prepared)
                .run(DynamicInputs.apart(specs, samples == null ? null : Structures.tensors(samples), kind));
    }

    private static final class Search {
        private final ConversionState prepared;
        private final Supplier<Graph> graphs;
        private final NativeOptions options;
        private final List<String> notes = new ArrayList<>();
        private final SearchWork work = new SearchWork();
        private final Map<DynamicInputs, Map<List<Long>, List<Tensor>>> made = new IdentityHashMap<>();
        private Refusal first;
        private boolean ranOnOne;
        private boolean unsuited;
        private String ran;

        Search(ConversionState prepared) {
            this.prepared = prepared;
            this.graphs = () -> BlockCopy.of(prepared.get(PassResult.GRAPH));
            this.options = prepared.options();
        }

        DynamicShapeConversion run(DynamicInputs apart) {
            DynamicShapeConversion made = of(apart);
            for (DynamicInputs tied :
                    List.of(apart.tied(false), apart.tied(true), apart.tiedAsInExample(), apart.tiedButBatches())) {
                if (made != null || isLate() && first != null) {
                    break;
                }
                if (tied.open().size() == apart.open().size() || tied.differsFromExample()) {
                    continue;
                }
                DynamicInputs looser = apartWhereTaken(tied);
                made = looser == tied ? null : of(looser);
                made = made != null ? made : of(tied);
            }
            return made != null ? made : refused();
        }

        /** Sizes that are tied, but for each that the model takes when it is another than those that it is tied to. */
        private DynamicInputs apartWhereTaken(DynamicInputs tied) {
            DynamicInputs loosest = tied;
            long[] base = bases(tied).stream()
                    .filter(sizes -> failure(tied, sizes) == null)
                    .findFirst()
                    .orElse(null);
            for (int k = 0; base != null && k < tied.open().size(); k++) {
                for (int i = 1; i < tied.open().get(k).size() && !isLate(); i++) {
                    DynamicInputs split = loosest.without(tied.open().get(k).get(i));
                    long[] sizes = Arrays.copyOf(base, base.length + 1);
                    for (int n = 0; n < SPLIT.length && loosest != split; n++) {
                        sizes[base.length] = base[k] + SPLIT[n];
                        if (failure(split, sizes) == null) {
                            loosest = split;
                            base = sizes;
                        }
                    }
                }
            }
            return loosest;
        }

        /** The model converted for these inputs, or null; the first reason why not is kept. */
        private DynamicShapeConversion of(DynamicInputs inputs) {
            List<long[]> bases = bases(inputs);
            for (int b = 0; b < bases.size(); b++) {
                long[] base = bases.get(b);
                boolean chance = areEqualByChance(inputs, base);
                if (first != null && isLate()) {
                    return null;
                }
                String failure = failure(inputs, base);
                if (failure != null) {
                    keep(Refusal.ofModel(
                            ConvertedMethod.MUST_RUN, failure, "a model that runs on " + inputs.text(base), EXAMPLE));
                    continue;
                }
                ran = inputs.text(base);
                Refusal why = null;
                for (long step : STEPS) {
                    if (why != null && chance
                            || ShapeSamples.areLarge(inputs, base, step, MOST_ELEMENTS)
                            || (why != null || first != null) && isLate()) {
                        continue;
                    }
                    ShapeSamples tried = ShapeSamples.of(inputs, base, step, sizes -> runs(inputs, base, sizes));
                    if (tried == null) {
                        continue;
                    }
                    try {
                        return converted(inputs, base, step, tried, why != null);
                    } catch (DividedTrial.Unsuited e) {
                        why = why != null ? why : e.refusal();
                    }
                }
                if (why != null && !unsuited) {
                    unsuited = true;
                    first = why;
                } else if (why == null && !unsuited && !ranOnOne) {
                    ranOnOne = true;
                    first = Refusal.ofModel(
                            ConvertedMethod.MUST_RUN,
                            "it runs on " + inputs.text(base) + " but on no other sizes that were tried",
                            "a model that takes several sizes",
                            "convert it for these sizes, or give others that it takes: " + EXAMPLE);
                }
                long[] smaller = b == 0 && inputs.example() != null ? belowTheGreatest(inputs, base) : null;
                if (smaller != null) {
                    bases.add(1, smaller);
                } else if (why != null && !chance) {
                    break;
                }
            }
            return null;
        }

        private void keep(Refusal refusal) {
            first = first != null ? first : refusal;
        }

        /**
         * Half of an example's sizes where the model takes none that are much greater, as one with a table of positions
         * does; null where it does, or no size is large.
         */
        private long[] belowTheGreatest(DynamicInputs inputs, long... base) {
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

        private DynamicShapeConversion refused() {
            return new DynamicShapeConversion(ConvertedMethod.refused(first), List.of(), List.of(), notes);
        }

        private static List<long[]> bases(DynamicInputs inputs) {
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
                    if (isSmall(inputs, given, base)) {
                        bases.add(base);
                    }
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
            // Where most of the sizes are open, smaller ones do.
            List<long[]> few = bases.stream()
                    .filter(base -> inputs.elements(base) <= MOST_ELEMENTS)
                    .collect(Streams.toList());
            return few.isEmpty() ? bases.subList(0, 1) : few;
        }

        /**
         * Whether sizes that are open each by itself are the same, as those of square pictures: what is computed of one
         * is then found to be the other's too.
         */
        private static boolean areEqualByChance(DynamicInputs inputs, long... base) {
            boolean any = false;
            for (int k = 0; k < base.length; k++) {
                any |= equalBefore(inputs, base, k) > 0;
            }
            return any;
        }

        private static int equalBefore(DynamicInputs inputs, long[] base, int number) {
            int equal = 0;
            for (int k = 0; k < number; k++) {
                equal += !inputs.isBatch(k) && !inputs.isBatch(number) && base[k] == base[number] ? 1 : 0;
            }
            return equal;
        }

        private boolean isLate() {
            return work.exceeds(MOST_WORK);
        }

        private boolean runs(DynamicInputs inputs, long[] base, long... sizes) {
            return isSmall(inputs, base, sizes) && failure(inputs, sizes) == null;
        }

        /** Whether sizes that nobody gave are few enough to be tried. */
        private static boolean isSmall(DynamicInputs inputs, long[] base, long... sizes) {
            return inputs.elements(sizes) <= Math.max(MOST_ELEMENTS, inputs.elements(base) * 4);
        }

        /** What the model says to inputs of these sizes, or null where it runs. */
        private String failure(DynamicInputs inputs, long... sizes) {
            try {
                work.within(
                        first == null ? SearchWork.NO_LIMIT : MOST_WORK, () -> evaluated(graphs.get(), inputs, sizes));
                return null;
            } catch (RuntimeException e) {
                return String.valueOf(e.getMessage());
            }
        }

        /** Arguments of these sizes, the same each time. */
        private List<Tensor> at(DynamicInputs inputs, long... sizes) {
            return made.computeIfAbsent(inputs, any -> new HashMap<>())
                    .computeIfAbsent(Arrays.stream(sizes).boxed().collect(Streams.toList()), any -> inputs.at(sizes));
        }

        private PartialEvaluation.Facts evaluated(Graph graph, DynamicInputs inputs, long... sizes) {
            return PartialEvaluation.run(
                    graph,
                    at(inputs, sizes),
                    prepared.original(),
                    SizeTrial.of(work).step(graph));
        }

        private DynamicShapeConversion converted(
                DynamicInputs inputs, long[] base, long step, ShapeSamples tried, boolean further)
                throws DividedTrial.Unsuited {
            SizeTrial.Marks marks = new SizeTrial.Marks(SizeTrial.Likeness.AS_FOUND);
            List<long[]> sizes = tried.few();
            boolean many = false;
            int last = 1;
            for (int round = 0; round < MOST_ROUNDS; round++) {
                long most = further ? MOST_WORK : round > FEW_ROUNDS ? MOST_WORK_FIRST : SearchWork.NO_LIMIT;
                DividedTrial first = trial(inputs, base, marks, null, most);
                List<DividedTrial> trials = new ArrayList<>(Collections.nCopies(sizes.size(), first));
                boolean news = false;
                try {
                    // What told something may tell more: the others wait until it does not.
                    for (int turn = 1; !news && turn < sizes.size(); turn++) {
                        int i = 1 + (last - 1) % (sizes.size() - 1);
                        trials.set(i, trial(inputs, sizes.get(i), marks, first, most));
                        news = first.compare(trials.get(i), marks, inputs.text(sizes.get(i)));
                        last = news ? i : i + 1;
                    }
                } catch (DividedTrial.OtherGraph e) {
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
                SizeExpressionInference fit = new SizeExpressionInference(sizes.toArray(new long[0][]));
                List<SizedModel> models = new ArrayList<>();
                boolean fits = true;
                for (int s = 0; s < first.segments().size(); s++) {
                    int number = s;
                    SizedModel model = new SizedModel(trials.stream()
                            .map(trial -> trial.segments().get(number))
                            .collect(Streams.toList()));
                    fits &= model.fit(fit);
                    models.add(model);
                }
                if (!fits) {
                    if (!many && models.stream().noneMatch(SizedModel::hasOtherForms)) {
                        many = true;
                        sizes = tried.many();
                    } else {
                        DividedTrial.mark(trials, models, marks);
                    }
                    continue;
                }
                try {
                    return written(inputs, base, step, tried, trials, fit, models);
                } catch (SizedGraph.Differs e) {
                    if (many) {
                        throw e;
                    }
                    many = true;
                    sizes = tried.many();
                }
            }
            throw new DividedTrial.Unsuited(
                    DividedTrial.refusal(null, "more than " + MOST_ROUNDS + " things that depend on the sizes"));
        }

        private DividedTrial trial(
                DynamicInputs inputs, long[] sizes, SizeTrial.Marks marks, DividedTrial like, long most)
                throws DividedTrial.Unsuited {
            SizeTrial steps = new SizeTrial(marks, like == null ? null : like.steps(), work);
            try {
                return work.within(
                        most,
                        () -> new DividedTrial(
                                ConversionPipeline.LEGALIZE.run(prepared.at(at(inputs, sizes), steps, graphs.get()))));
            } catch (RuntimeException e) {
                if (work.exceeds(most)) {
                    throw new DividedTrial.Unsuited(Refusal.ofModel(
                            DividedTrial.SAME,
                            "more depends on the sizes than can be told in visits to " + most + " nodes",
                            "the same for all sizes",
                            "convert it for " + ran + ", on which it runs, or for others: " + EXAMPLE + "; "
                                    + DividedTrial.ADVICE));
                }
                throw new DividedTrial.Unsuited(Refusal.ofModel(
                        DividedTrial.SAME,
                        "it runs on " + ran + " but on " + inputs.text(sizes) + " not: " + e.getMessage(),
                        "a model that runs",
                        DividedTrial.ADVICE));
            }
        }

        /**
         * What nodes a graph has for some sizes and how many dimensions their results have, which may be fewer where a
         * size is 1; null where the model does not run on them.
         */
        private List<Object> form(DynamicInputs inputs, long... sizes) {
            try {
                Graph graph = graphs.get();
                PartialEvaluation.Facts facts = evaluated(graph, inputs, sizes);
                List<Object> form = new ArrayList<>();
                form(graph.block(), facts, form);
                return form;
            } catch (RuntimeException e) {
                return null;
            }
        }

        private static void form(Block block, PartialEvaluation.Facts facts, List<Object> form) {
            for (Node node : block.nodes()) {
                if (!SizedGraph.isConstant(node)) {
                    form.add(node.kind());
                    node.outputs()
                            .forEach(output -> form.add(
                                    facts.of(output) == null
                                            ? -1
                                            : facts.of(output).rank()));
                }
                node.blocks().forEach(inner -> form(inner, facts, form));
            }
        }

        private DynamicShapeConversion without(DividedTrial first, DynamicInputs inputs, long... base) {
            ConversionState state = ConversionPipeline.MEASURE.run(first.state());
            return new DynamicShapeConversion(ConvertedMethod.of(state), at(inputs, base), List.of(), notes);
        }

        private DynamicShapeConversion written(
                DynamicInputs inputs,
                long[] base,
                long step,
                ShapeSamples tried,
                List<DividedTrial> trials,
                SizeExpressionInference fit,
                List<SizedModel> models)
                throws SizedGraph.Differs {
            DividedTrial first = trials.get(0);
            ConversionPipeline.MEASURE.run(first.state());
            List<OpenShapes.OpenSize> read = inputs.readAt();
            List<Integer> told =
                    read.stream().map(OpenShapes.OpenSize::argument).distinct().collect(Streams.toList());
            List<OpenShapes.OpenSize> readAmongTold = read.stream()
                    .map(place -> new OpenShapes.OpenSize(told.indexOf(place.argument()), place.dimension()))
                    .collect(Streams.toList());
            int most = inputs.isSetAtLoad() ? 0 : MOST_SHAPES;
            List<LoweredModel> lowered = models.stream().map(SizedModel::model).collect(Streams.toList());
            List<ScriptObject> modules = SegmentModules.of(
                    lowered,
                    models.stream()
                            .map(model -> model.shapes(readAmongTold, most))
                            .collect(Streams.toList()),
                    options.preference(),
                    options.relaxed(),
                    prepared.runtime(),
                    options.weights(),
                    DelegateRewriter.firstPart(prepared.original()));
            List<Tensor> samples = at(inputs, base);
            Map<Integer, int[]> asked = new TreeMap<>();
            ScriptObject module = null;
            for (DividedTrial trial : trials) {
                Map<Value, GuardEmitter.Asked> checks = GuardEmitter.of(
                        trial.graph(),
                        samples,
                        trial.partition(),
                        trial.state().get(PassResult.FACTS).sources());
                if (trial == first) {
                    checks.forEach((tensor, check) -> {
                        if (check.shape() != null) {
                            Value argument = tensor.definition() == null
                                    ? tensor
                                    : tensor.definition().input(0);
                            asked.put(first.graph().inputs().indexOf(argument) - 1, check.shape());
                        }
                    });
                }
                checks.replaceAll((tensor, check) -> check.ofAnyShape());
                SizeTrial.clear(trial.graph().block());
                ScriptObject divided = DelegateRewriter.module(
                        trial.graph(),
                        trial.partition(),
                        modules,
                        prepared.original(),
                        prepared.method(),
                        options,
                        checks,
                        told);
                module = module == null ? divided : module;
            }
            SizedGraph graph =
                    new SizedGraph(trials.stream().map(DividedTrial::graph).collect(Streams.toList())).align();
            graph.compute(fit, read);
            graph.requireAsIn(graphs.get(), inputs);
            graph.require(inputs, base, step);
            List<Object> form = form(inputs, base);
            for (int k = 0; k < base.length; k++) {
                long[] one = base.clone();
                one[k] = 1;
                if ((step == 1 || inputs.isBatch(k)) && base[k] > 1 && !Objects.equals(form, form(inputs, one))) {
                    graph.requireMoreThanOne(inputs, k);
                }
            }
            asked.forEach((argument, shape) -> graph.require(inputs, argument, shape));
            DecisionGuards.require(
                    graph,
                    inputs,
                    base,
                    fit,
                    trials.stream().map(DividedTrial::steps).collect(Streams.toList()));
            GraphVerifier.verify(first.graph());
            note(inputs, base, step);
            List<LoweredSegment> segments = new ArrayList<>();
            for (int s = 0; s < lowered.size(); s++) {
                LoweredSegment segment = first.segments().get(s);
                segments.add(
                        new LoweredSegment(lowered.get(s), segment.inputs(), segment.outputs(), segment.origins(), 0));
            }
            List<List<Tensor>> further = tried.checked(sizes -> runs(inputs, base, sizes)).stream()
                    .map(sizes -> at(inputs, sizes))
                    .collect(Streams.toList());
            return new DynamicShapeConversion(
                    ConvertedMethod.of(first.state(), module, segments, null), samples, further, notes);
        }

        private void note(DynamicInputs inputs, long[] base, long step) {
            List<String> open = new ArrayList<>();
            for (int k = 0; k < base.length; k++) {
                open.add(inputs.name(k)
                        + (inputs.open().get(k).size() > 1 ? ", which are equal" : "")
                        + (step == 1 || inputs.isBatch(k)
                                ? ""
                                : base[k] % step == 0
                                        ? ", a multiple of " + step
                                        : ", a multiple of " + step + " and " + base[k] % step));
            }
            notes.add("open: " + String.join("; ", open)
                    + (inputs.isSetAtLoad()
                            ? "; the first call decides"
                            : "; each of the latest " + MOST_SHAPES + " shapes is compiled once and kept"));
        }
    }
}
