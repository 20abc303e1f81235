package org.torchnnapi.exported.lowering;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Iterator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.IntStream;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.value.ScriptList;

/**
 * The numbers of a run that elements decide, in order. A run can be given others in their place: as many rows as that,
 * which are those of the run again and again. So what follows from such a number shows in several runs. Confined to one
 * thread.
 */
final class UnbackedNumbers {
    /**
     * A result whose size elements decide.
     *
     * @param value what the operator gives, with as many rows as the run was given
     * @param tensor the first that has the size
     * @param most the size is no greater
     */
    record Opened(Object value, Tensor tensor, int dimension, long most) {}

    private final Set<Integer> ofViews;
    private final Iterator<Boolean> replayed;
    private final List<Boolean> answers = new ArrayList<>();
    private final long[] given;
    private final List<UnbackedNumber> found = new ArrayList<>();
    private int views;
    private boolean hidden;
    private boolean taken;

    /**
     * @param ofViews views whose sizes are numbers of their own, as they end where their tensor does or before it
     * @param replayed how numbers are to compare, in order, so that a run goes another's way
     * @param given what the numbers are to be, in order; as they come where it ends
     */
    UnbackedNumbers(Set<Integer> ofViews, List<Boolean> replayed, long... given) {
        this.ofViews = ofViews;
        this.replayed = replayed.iterator();
        this.given = given.clone();
    }

    List<UnbackedNumber> found() {
        return found;
    }

    /** Whether sizes follow from elements that no number stands for. */
    boolean isHidden() {
        return hidden;
    }

    /** A size follows from elements, and no number stands for it. */
    void hide() {
        hidden = true;
    }

    /** The program takes a number that may follow from these. */
    void take() {
        taken = true;
    }

    /** Whether the program takes such numbers. */
    boolean areTaken() {
        return taken && !found.isEmpty();
    }

    /** How numbers compared, in order. */
    List<Boolean> answers() {
        return answers;
    }

    /** How two numbers compare in this run. */
    boolean answered(boolean answer) {
        boolean told = replayed.hasNext() ? replayed.next() : answer;
        answers.add(told);
        return told;
    }

    private long next(long value) {
        return found.size() < given.length ? given[found.size()] : value;
    }

    /** An element that is read as a whole number. */
    long read(ProgramRecorder recorder, Node node, Tensor tensor, long value) {
        boolean isWhole = !tensor.dtype().isFloating() && tensor.dtype() != DType.BOOL;
        Tensor whole = isWhole
                ? tensor
                : (Tensor) OperatorCalls.run(
                        recorder, node, "aten::to.dtype", tensor, (long) DType.INT64.code(), false, false, null);
        RecordedCall call = new RecordedCall(
                "aten.item.default",
                List.of(ProgramRecorder.SELF),
                List.of(recorder.named(whole)),
                node.range(),
                false);
        recorder.calls().add(call);
        long number = next(value);
        found.add(new UnbackedNumber(call, null, 0, number, Long.MAX_VALUE, node.range()));
        taken = true;
        return number;
    }

    /** Whether a view of a tensor whose sizes follow from elements has a size that is a number of its own. */
    boolean endsWithin(Node node, Object[] arguments, NumberFacts facts, int before) {
        FunctionSchema schema = node.schema();
        int at = schema.indexOf("dim");
        if (!schema.isView() || at < 0 || !(arguments[at] instanceof Long dim)) {
            return false;
        }
        long begin = bound(schema.indexOf("start"), arguments, 0);
        long end = bound(schema.indexOf("end"), arguments, Long.MAX_VALUE);
        if (begin == 0 && end == Long.MAX_VALUE) {
            return false;
        }
        int view = views++;
        boolean isOwn = ofViews.contains(view);
        if (!isOwn) {
            Tensor tensor = (Tensor) arguments[0];
            long size = tensor.size(Math.floorMod(dim.intValue(), tensor.rank()));
            facts.bounded(size, view, begin == 0 ? end : -1, before, node.range());
        }
        return isOwn;
    }

    private static long bound(int index, Object[] arguments, long otherwise) {
        return index >= 0 && arguments[index] instanceof Long number && Math.abs(number) <= Integer.MAX_VALUE
                ? number
                : otherwise;
    }

    /** What an operator gives whose size elements decide; null where it is not known which size that is. */
    Opened opened(Node node, Object[] arguments, Object result) {
        List<Tensor> open = open(node.schema(), arguments, result);
        int dimension = open.isEmpty() ? -1 : dimension(node.schema(), arguments, open.get(0));
        if (dimension < 0
                || open.stream()
                        .anyMatch(tensor -> tensor.rank() == 0 || tensor.dtype().isQuantized())) {
            return null;
        }
        long size = next(open.get(0).size(dimension));
        List<Tensor> resized = new ArrayList<>();
        for (Tensor tensor : open) {
            resized.add(resized(tensor, open.get(0).rank() == tensor.rank() ? dimension : 0, size));
        }
        return new Opened(replaced(result, open, resized), resized.get(0), dimension, most(node, arguments));
    }

    /** As many as a mask has elements. */
    private static long most(Node node, Object[] arguments) {
        if (OperatorTrait.FINDS_PLACES.of(node)) {
            return ((Tensor) arguments[0]).numel();
        }
        return arguments.length > 1 && arguments[1] instanceof ScriptList list
                ? list.items().stream()
                        .filter(item -> item instanceof Tensor mask && mask.dtype() == DType.BOOL)
                        .mapToLong(mask -> ((Tensor) mask).numel())
                        .min()
                        .orElse(Long.MAX_VALUE)
                : Long.MAX_VALUE;
    }

    /** @see #opened */
    void called(Opened opened, RecordedCall call, GraphTensor tensor) {
        long size = opened.tensor().size(opened.dimension());
        found.add(new UnbackedNumber(call, tensor, opened.dimension(), size, opened.most(), call.place()));
    }

    /** The results that have the size, which is the first one's. */
    private static List<Tensor> open(FunctionSchema schema, Object[] arguments, Object result) {
        List<Tensor> open = new ArrayList<>();
        if (schema.isMutating()) {
            return open;
        }
        if (result instanceof Tensor tensor) {
            open.add(tensor);
        } else if (result instanceof ScriptList list) {
            list.items().forEach(item -> open.add((Tensor) item));
        } else if (result instanceof Object[] several) {
            open.add((Tensor) several[0]);
            int number = 1;
            for (int i = 0; i < arguments.length && number < several.length; i++) {
                String name = schema.arguments().get(i).name();
                if (name.equals("return_counts") && Boolean.TRUE.equals(arguments[i])) {
                    open.add((Tensor) several[number]);
                }
                number += name.startsWith("return_") ? 1 : 0;
            }
        }
        return open;
    }

    private static int dimension(FunctionSchema schema, Object[] arguments, Tensor result) {
        for (int i = 0; i < arguments.length; i++) {
            if (arguments[i] instanceof ScriptList list && list.items().stream().anyMatch(Objects::isNull)) {
                return indexed(list);
            }
            String name = schema.arguments().get(i).name();
            if (name.equals("dim") && arguments[i] instanceof Long dim) {
                return Math.toIntExact(Math.floorMod(dim, (long) Math.max(1, result.rank())));
            }
            if (name.equals("num_classes")) {
                return result.rank() - 1;
            }
        }
        return 0;
    }

    /** Where the dimension is that indices make: in their place if they are beside each other, else in front. */
    private static int indexed(ScriptList indices) {
        int[] at = IntStream.range(0, indices.size())
                .filter(i -> indices.get(i) != null)
                .toArray();
        return at[at.length - 1] - at[0] == at.length - 1 ? at[0] : 0;
    }

    private static Tensor resized(Tensor tensor, int dimension, long size) {
        if (tensor.size(dimension) == size) {
            return tensor;
        }
        if (tensor.size(dimension) == 0) {
            int[] sizes = tensor.sizes();
            sizes[dimension] = Math.toIntExact(size);
            return Tensor.zeros(tensor.dtype(), sizes);
        }
        long[] picked = new long[Math.toIntExact(size)];
        Arrays.setAll(picked, i -> i % tensor.size(dimension));
        Operator pick = OperatorCalls.operator("aten::index_select");
        return (Tensor) pick.kernel().call(new Object[] {tensor, (long) dimension, Tensor.of(picked, picked.length)});
    }

    private static Object replaced(Object result, List<Tensor> old, List<Tensor> now) {
        if (result instanceof Object[] several) {
            return Arrays.stream(several)
                    .map(item -> old.contains(item) ? now.get(old.indexOf(item)) : item)
                    .toArray();
        }
        return result instanceof ScriptList list
                ? new ScriptList(list.elementType(), new ArrayList<>(now))
                : now.get(0);
    }
}
