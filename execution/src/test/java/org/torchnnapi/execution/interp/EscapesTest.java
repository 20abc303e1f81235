package org.torchnnapi.execution.interp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.source.CodeLoader;
import org.torchnnapi.torchscript.value.CustomClass;
import org.torchnnapi.torchscript.value.CustomObject;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;

class EscapesTest {
    private static final String SINK = "__torch__.torch.classes.test.Sink";

    /** Remembers the tensors of the lists it is given; {@code read} says that it does not. */
    private static final class Sink implements CustomClass {
        private final List<Tensor> seen = new ArrayList<>();

        @Override
        public String qualifiedName() {
            return SINK;
        }

        @Override
        public Object create() {
            return this;
        }

        @Override
        public Object call(Object self, String method, Object[] arguments) {
            ((ScriptList) arguments[0]).items().forEach(item -> seen.add((Tensor) item));
            return null;
        }

        @Override
        public boolean mayKeep(String method, int argument) {
            return !method.equals("read");
        }

        @Override
        public Object getState(Object self) {
            return null;
        }

        @Override
        public Object setState(Object state) {
            return this;
        }
    }

    private final Sink sink = new Sink();
    private final Interpreter interpreter =
            new Interpreter(OperatorRegistry.withBuiltins()::overloads, name -> name.equals(SINK) ? sink : null);

    private static ClassType module(String lines) {
        String source =
                "class M(Module):\n  __parameters__ = []\n  __buffers__ = []\n  last : Tensor\n  all : List[Tensor]\n"
                        + "  sink : "
                        + SINK
                        + "\n  def forward(self: __torch__.m.M,\n    x: Tensor) -> Any:\n    "
                        + lines.replace("; ", "\n    ") + "\n"
                        + "  def keep(self: __torch__.m.M,\n    y: Tensor) -> int:\n    self.last = y\n    return 1\n"
                        + "  def other(self: __torch__.m.M,\n    y: Tensor) -> Tensor:\n    return "
                        + "torch.zeros(torch.size(y), dtype=6)\n"
                        + "  def bytes(self: __torch__.m.M,\n    y: Tensor) -> Tensor:\n    return "
                        + "torch.quantize_per_tensor(y, 0.5, 3, 13)\n"
                        + "  def pass_on(self: __torch__.m.M,\n    y: Tensor) -> Tensor:\n    return y\n";
        CodeLoader loader =
                new CodeLoader(Sources.archive(Map.of("code/__torch__/m.py", source)), OperatorRegistry.withBuiltins());
        return (ClassType) loader.type("__torch__.m.M");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "return x",
                "return [torch.relu(x)]",
                "y = torch.relu_(torch.add(x, 1)); return torch.size(y)",
                "l = annotate(List[Tensor], []); _0 = torch.append(l, x); return l[0]",
                "if torch.gt(torch.len(x), 1):;   y = x; else:;   y = torch.neg(x); return y",
                "y = x; for i in range(3):;   y = torch.add(y, x); return y",
                "last = self.last; _0 = torch.copy_(last, x); return 1",
                "sink = self.sink; _0 = (sink).read([x], ); return 1",
                "y = (self).pass_on(x, ); return y",
                "self.last = (self).other(x, ); return 1"
            })
    void argumentsThatOnlyTheResultMayHold(String lines) {
        assertFalse(interpreter.mayKeepArguments(
                module(lines.replace(";   ", "\n      ")).method("forward")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "self.last = x; return 1",
                "self.last = torch.slice(x, 0, 0, 1); return 1",
                "all = self.all; _0 = torch.append(all, x); return 1",
                "l = annotate(List[Tensor], []); _0 = torch.append(l, x); self.all = l; return 1",
                "self.all = [torch.neg(x), x]; return 1",
                "t = (self.all, [x]); l, m = t; _0 = torch.append(l, x); return 1",
                "y = x; for i in range(3):;   self.last = y; return 1",
                "sink = self.sink; _0 = (sink).write([x], ); return 1",
                "y = (self).keep(x, ); return y",
                "y = (self).pass_on(x, ); self.last = y; return 1"
            })
    void argumentsThatStay(String lines) {
        assertTrue(interpreter.mayKeepArguments(
                module(lines.replace(";   ", "\n      ")).method("forward")));
    }

    private List<Tensor> copies(String method) {
        ClassType type = module("sink = self.sink; l = annotate(List[Tensor], []); _0 = torch.append(l, "
                + "torch.contiguous(torch.permute(x, [0, 2, 3, 1]))); "
                + "_1 = torch.append(l, torch.contiguous(x)); _2 = (sink)." + method + "(l, ); return 1");
        ScriptObject object = new ScriptObject(type);
        object.set("sink", new CustomObject(sink, sink));
        Function forward = type.method("forward");
        for (int call = 0; call < 4; call++) {
            float[] values = new float[24];
            for (int i = 0; i < values.length; i++) {
                values[i] = 100 * call + i;
            }
            Tensor image = Tensor.of(values, 1, 2, 3, 4);
            interpreter.run(forward, object, image);
            Tensor copy = sink.seen.get(2 * call);
            assertEquals(image.getDouble(23), copy.getDouble(23));
            assertEquals(image.getDouble(12), copy.getDouble(1));
            assertSame(image.storage(), sink.seen.get(2 * call + 1).storage(), "what is contiguous is not copied");
        }
        return sink.seen;
    }

    @Test
    void copiesThatNothingRefersToLieInTheSameMemory() {
        List<Tensor> seen = copies("read");
        assertSame(seen.get(4).storage().array(), seen.get(6).storage().array());
        assertNotSame(seen.get(4).storage().array(), seen.get(5).storage().array());
    }

    @Test
    void copiesThatMayBeReferredToAreNewMemory() {
        List<Tensor> seen = copies("write");
        assertNotSame(seen.get(4).storage().array(), seen.get(6).storage().array());
    }

    /** What {@code forward} makes of four images, as the sink or the caller saw it. */
    private List<Tensor> quantized(String lines) {
        ClassType type = module(lines);
        ScriptObject object = new ScriptObject(type);
        object.set("sink", new CustomObject(sink, sink));
        List<Tensor> results = new ArrayList<>();
        for (int call = 0; call < 4; call++) {
            Tensor image = Tensor.of(new float[] {call, 1.5f, -7, 2}, 1, 1, 2, 2);
            Object result = interpreter.run(type.method("forward"), object, image);
            results.add(result instanceof Tensor returned ? returned : sink.seen.get(call));
            assertEquals(3 + 2 * call, results.get(call).storage().byteArray()[0]);
        }
        return results;
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "y = (self).bytes(x, )",
                "z = (self).bytes(x, ); y = (self).pass_on(z, )",
                "y = torch.quantize_per_tensor(x, 0.5, 3, 13)"
            })
    void resultsOfMethodsThatNothingRefersToLieInTheSameMemory(String lines) {
        List<Tensor> seen = quantized(lines + "; sink = self.sink; _0 = (sink).read([y], ); return 1");
        assertSame(seen.get(2).storage().array(), seen.get(3).storage().array());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"sink = self.sink; _0 = (sink).write([y], ); return 1", "self.last = y; return y", "return y"})
    void resultsOfMethodsThatMayBeReferredToAreNewMemory(String lines) {
        List<Tensor> seen = quantized("y = (self).bytes(x, ); " + lines);
        assertNotSame(seen.get(2).storage().array(), seen.get(3).storage().array());
    }
}
