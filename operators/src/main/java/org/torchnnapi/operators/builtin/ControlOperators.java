package org.torchnnapi.operators.builtin;

import java.util.Arrays;
import java.util.function.Consumer;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.packed.RecordFunction;
import org.torchnnapi.operators.support.BroadcastShapes;
import org.torchnnapi.tensor.Shape;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.ir.OperatorTrait;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.RaisedException;
import org.torchnnapi.torchscript.value.ScriptFuture;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;

/** Exceptions, printing, warnings, ranges, futures and the state of gradients. */
public final class ControlOperators implements OperatorFamily {
    private static final Logger LOG = Logger.getLogger("org.torchnnapi.torchscript");
    private static final long MAX_RANGE = 1 << 26;
    private static final int MAX_WARNING = 4000;

    /** Inference records no gradients; models still read and set this flag, each thread its own. */
    private static final ThreadLocal<Boolean> GRADIENTS = ThreadLocal.withInitial(() -> true);

    private final Consumer<String> printer;

    /** Prints to standard output. */
    public ControlOperators() {
        this(text -> System.out.print(text));
    }

    ControlOperators(Consumer<String> printer) {
        this.printer = printer;
    }

    @Override
    public void register(Registrar r) {
        r.op(
                "prim::RaiseException(str msg, str? cls=None) -> ()",
                in -> {
                    throw new RaisedException(in[1] == null ? "RuntimeError" : (String) in[1], (String) in[0]);
                },
                OperatorTrait.ACTING);
        r.op(
                "prim::Print(...) -> ()",
                in -> {
                    printer.accept(Arrays.stream(in).map(Text::of).collect(Collectors.joining(" ")) + "\n");
                    return null;
                },
                OperatorTrait.ACTING);
        r.op(
                "aten::warn(str message, int stacklevel=2) -> ()",
                in -> {
                    LOG.warning(Strings.beginning((String) in[0], MAX_WARNING));
                    return null;
                },
                OperatorTrait.ACTING);
        r.op("aten::wait(Future(t) self) -> t", in -> ((ScriptFuture) in[0]).result(), OperatorTrait.ACTING);
        r.op("aten::is_grad_enabled() -> bool", in -> GRADIENTS.get(), OperatorTrait.READS_STATE);
        r.op(
                "aten::set_grad_enabled(bool val) -> ()",
                in -> {
                    GRADIENTS.set((Boolean) in[0]);
                    return null;
                },
                OperatorTrait.ACTING);
        r.op("aten::is_autocast_enabled() -> bool", in -> false);
        r.op("aten::is_autocast_cpu_enabled() -> bool", in -> false);
        r.op("aten::is_scripting() -> bool", in -> true);
        r.op("aten::_get_tracing_state() -> bool", in -> false);
        r.op("aten::has_torch_function(...) -> bool", in -> false);
        r.op("prim::IfThenElse(bool cond, t x, t y) -> t", in -> (Boolean) in[0] ? in[1] : in[2]);
        r.op("prim::AddStatValue(str key, int val) -> ()", in -> null, OperatorTrait.ACTING);
        r.op(
                "aten::_infer_size(int[] a, int[] b) -> int[]",
                in -> ScriptList.ofInts(Shape.toLongs(BroadcastShapes.shape(
                        Shape.toInts(((ScriptList) in[0]).toLongs()), Shape.toInts(((ScriptList) in[1]).toLongs())))));
        r.op("prim::ModuleContainerIndex.list(Any self, int ind) -> Any", in -> part(in[0], String.valueOf(in[1])));
        r.op("prim::ModuleContainerIndex.dict(Any self, str ind) -> Any", in -> part(in[0], (String) in[1]));
        recordings(r);
        r.op("prim::TimePoint() -> int", in -> System.nanoTime(), OperatorTrait.ACTING);
        r.op(
                "aten::__range_length(int lo, int hi, int step) -> int",
                in -> rangeLength((Long) in[0], (Long) in[1], (Long) in[2]));
        r.op(
                "aten::__derive_index(int index, int start, int step) -> int",
                in -> (Long) in[1] + (Long) in[0] * (Long) in[2]);
        r.op("prim::rangelist(int n) -> int[]", in -> range((Long) in[0]));
        r.op("aten::_unwrap_optional(t(a)? optional) -> t(a)", in -> unwrapped(in[0]));
        r.op("prim::unchecked_unwrap_optional(t(a)? optional) -> t(a)", in -> in[0]);
    }

    /** Parts of methods that profilers of PyTorch know by names, which nothing here keeps. */
    private static void recordings(Registrar r) {
        String recording = RecordFunction.CLASS.qualifiedName();
        r.op(
                "profiler::_record_function_enter(str name, str? args=None) -> Tensor",
                in -> Tensor.of(new float[1], 1),
                OperatorTrait.ACTING);
        r.op(
                "profiler::_record_function_enter_new(str name, str? args=None) -> " + recording,
                in -> RecordFunction.CLASS.wrap(new RecordFunction((String) in[0])),
                OperatorTrait.ACTING);
        r.op("profiler::_record_function_exit(Tensor handle) -> ()", in -> null, OperatorTrait.ACTING);
        r.op(
                "profiler::_record_function_exit._RecordFunction(" + recording + " handle) -> ()",
                in -> null,
                OperatorTrait.ACTING);
        r.op(
                "profiler::_call_end_callbacks_on_jit_fut(Tensor x, Future(t) y) -> Future(t)",
                in -> in[1],
                OperatorTrait.ACTING);
        r.op(
                "profiler::_call_end_callbacks_on_jit_fut._RecordFunction(" + recording
                        + " x, Future(t) y) -> Future(t)",
                in -> in[1],
                OperatorTrait.ACTING);
    }

    /** A module of a container by its name there. */
    private static Object part(Object container, String name) {
        ScriptObject object = (ScriptObject) container;
        if (object.type().slot(name) < 0) {
            throw new IllegalArgumentException("KeyError: " + name);
        }
        return object.get(name);
    }

    private static Object unwrapped(Object value) {
        if (value == null) {
            throw new IllegalArgumentException("Unwrapping null optional");
        }
        return value;
    }

    private static long rangeLength(long low, long high, long step) {
        if (step == 0) {
            throw new IllegalArgumentException("range() arg 3 must not be zero");
        }
        if (step > 0 ? low >= high : low <= high) {
            return 0;
        }
        return step > 0 ? 1 + (high - 1 - low) / step : 1 + (low - 1 - high) / -step;
    }

    private static ScriptList range(long n) {
        if (n > MAX_RANGE) {
            throw new IllegalArgumentException("range: " + n + " (expected: at most " + MAX_RANGE + ")");
        }
        ScriptList list = new ScriptList(Type.Basic.INT);
        for (long i = 0; i < n; i++) {
            list.items().add(i);
        }
        return list;
    }
}
