package org.torchnnapi.execution.tracing;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.tensor.MemoryFormat;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.value.ScriptObject;

/** Methods that no single program can stand for give what the interpreter gives, with their heavy parts compiled. */
class RegionTest {
    /** A layer of 64 to 64. */
    private static final Object[] WEIGHTS = {small(64, 64), small(64)};

    private static final String LAYER = "torch.linear(%s, CONSTANTS.c0, CONSTANTS.c1)";

    /** So small that results stay about as large as inputs. */
    private static Tensor small(int... sizes) {
        Tensor values = Agreement.floats(sizes);
        float[] array = values.storage().floatArray();
        for (int i = 0; i < array.length; i++) {
            array[i] /= 8;
        }
        return values;
    }

    private static String layer(String of) {
        return LAYER.formatted(of);
    }

    /** Compares several calls, the same ones on both, each on modules of their own. */
    private static List<String> agree(String members, Consumer<ScriptObject> fill, int regions, Tensor[]... calls) {
        Methods interpreted = new Methods(members, WEIGHTS);
        Methods compiled = new Methods(members, WEIGHTS);
        fill.accept(interpreted.object());
        fill.accept(compiled.object());
        for (int i = 0; i < calls.length; i++) {
            Tensor[] copies = copies(calls[i]);
            Agreement.equal(
                    interpreted.interpret("forward", (Object[]) copies),
                    compiled.specialise("forward", (Object[]) calls[i]),
                    "call " + i);
            for (int k = 0; k < copies.length; k++) {
                Agreement.equal(copies[k], calls[i][k], "argument " + k + " after call " + i);
            }
        }
        List<String> how = compiled.description();
        assertTrue(how.contains(Strings.counted(regions, "region") + " compiled"), how.toString());
        return how;
    }

    private static Tensor[] copies(Tensor[] tensors) {
        Tensor[] copies = new Tensor[tensors.length];
        for (int i = 0; i < copies.length; i++) {
            copies[i] = tensors[i].copy(MemoryFormat.CONTIGUOUS);
        }
        return copies;
    }

    private static List<String> agree(int regions, int inputs, String... lines) {
        StringBuilder signature = new StringBuilder("  def forward(self: __torch__.m.M");
        for (int i = 0; i < inputs; i++) {
            signature.append(",\n    ").append("xyz".charAt(i)).append(": Tensor");
        }
        Tensor[][] calls = new Tensor[4][inputs];
        for (Tensor[] call : calls) {
            for (int i = 0; i < inputs; i++) {
                call[i] = Agreement.floats(40, 64);
            }
        }
        return agree(signature + ") -> Any:\n    " + String.join("\n    ", lines) + "\n", object -> {}, regions, calls);
    }

    private static void assertBroken(List<String> how, String reason) {
        assertTrue(
                how.stream().anyMatch(line -> line.startsWith("interpreted: ") && line.contains(reason)),
                how.toString());
    }

    @Test
    void viewsByStridesSeeWhatLiesBesideAPartOfMemory() {
        // Of a part of what was computed, in one go and behind a break.
        String part = "y = torch.slice(torch.relu(" + layer("x") + "), 1, 1, 40)";
        List<String> how = agree(1, 1, part, "return torch.exp(torch.as_strided(y, [30, 8], [64, 3], 0))");
        assertBroken(how, "aten::as_strided of a part of memory");
        agree(
                1,
                1,
                part,
                "s = str(torch.sum(y))",
                "z = torch.as_strided(y, [30, 8], [64, 3], 0)",
                "return (z, torch.storage_offset(y))");
        agree(1, 1, part, "return torch._reshape_alias(y, [8, 4], [3, 64])");
        // Of all of it nothing is hidden, in whatever order.
        Methods whole = Methods.forward(
                1,
                List.of(
                        "y = torch.t(" + layer("x") + ")",
                        "return torch.exp(torch.as_strided(torch.relu(y), [30, 8], [64, 3], 5))"),
                WEIGHTS);
        Tensor x = Agreement.floats(40, 64);
        Agreement.equal(whole.interpret("forward", x), whole.specialise("forward", x), "all of memory");
        assertTrue(
                whole.description().get(0).startsWith("forward: 1 operator called, others in programs:"),
                whole.description().toString());
    }

    @Test
    void argumentsAreSeenWithWhatLiesBesideThem() {
        String line = "return torch.add(torch.relu(torch.as_strided(x, [2, 3], [4, 1], 3)), 1)";
        Methods compiled = Methods.forward(1, List.of(line));
        Methods interpreted = Methods.forward(1, List.of(line));
        Tensor whole = Agreement.floats(8, 8);
        for (int offset : new int[] {0, 9, 18}) {
            Tensor given = whole.asStrided(new int[] {4, 3}, new int[] {8, 1}, offset);
            Agreement.equal(
                    interpreted.interpret("forward", given), compiled.specialise("forward", given), "offset " + offset);
        }
    }

    @Test
    void aCounterEndsARegionOnly() {
        String members = """
              n : int
              def forward(self: __torch__.m.M,
                x: Tensor) -> Tensor:
                n = self.n
                _0 = torch.add(n, 1)
                self.n = _0
                y = torch.relu(%s)
                return torch.add(y, %s)
            """.formatted(layer("x"), layer("y"));
        Tensor[][] calls = new Tensor[8][1];
        for (Tensor[] call : calls) {
            call[0] = Agreement.floats(40, 64);
        }
        List<String> how = agree(members, object -> object.set("n", 0L), 1, calls);
        assertBroken(how, "prim::SetAttr");
    }

    @Test
    void aNumberThatChangesIsNotCompiledInto() {
        String members = """
              n : int
              def forward(self: __torch__.m.M,
                x: Tensor) -> Tensor:
                self.n = torch.add(self.n, 1)
                y = torch.relu(%s)
                z = torch.mul(y, self.n)
                return torch.add(z, %s)
            """.formatted(layer("x"), layer("z"));
        Tensor[][] calls = new Tensor[20][1];
        for (Tensor[] call : calls) {
            call[0] = Agreement.floats(40, 64);
        }
        List<String> how = agree(members, object -> object.set("n", 0L), 2, calls);
        assertBroken(how, "changes between calls");
    }

    @Test
    void aConditionOnElementsEndsARegion() {
        List<String> how = agree(
                2,
                1,
                "y = " + layer("x"),
                "if bool(torch.gt(torch.sum(y), 0)):",
                "  z = torch.relu(" + layer("y") + ")",
                "else:",
                "  z = torch.neg(" + layer("torch.neg(y)") + ")",
                "return torch.sigmoid(" + layer("z") + ")");
        assertBroken(how, "depends on elements");
    }

    @Test
    void aLoopThatElementsEndIsCompiledInside() {
        agree(
                2,
                1,
                "y = " + layer("x"),
                "n = torch.add(int(torch.remainder(torch.abs(torch.sum(y)), 3)), 2)",
                "for i in range(n):",
                "  y = torch.tanh(" + layer("y") + ")",
                "return y");
    }

    @Test
    void memoryThatIsSharedIsSharedBehindARegion() {
        agree(
                2,
                1,
                "y = " + layer("x"),
                "z = torch.view(y, [64, 40])",
                "a = torch.item(torch.mean(y))",
                "_0 = torch.add_(z, a)",
                "_1 = torch.mul_(torch.slice(y, 1, 0, 8), 2)",
                "return (y, z, " + layer("y") + ")");
    }

    @Test
    void writesToInputsReachThem() {
        agree(
                2,
                2,
                "a = " + layer("x"),
                "v = torch.t(x)",
                "n = torch.item(torch.sum(a))",
                "_0 = torch.mul_(v, 0.5)",
                "_1 = torch.add_(y, 1)",
                "return (torch.add(" + layer("x") + ", y), torch.select(y, 0, 0))");
    }

    @Test
    void aWriteUnderAnotherNameEndsARegion() {
        List<String> how = agree(
                2,
                1,
                "y = " + layer("x"),
                "s = torch.slice(y, 1, 0, 64, 2)",
                "_0 = torch.add_(s, 1)",
                "return torch.relu(" + layer("torch.add(y, x)") + ")");
        assertTrue(how.get(0).startsWith("forward: in regions"), how.toString());
    }

    @Test
    void containersCrossRegions() {
        agree(
                2,
                1,
                "y = " + layer("x"),
                "l = [y, torch.relu(y)]",
                "d = {\"a\": y, \"b\": torch.neg(y)}",
                "t = (y, l)",
                "n = torch.item(torch.mean(y))",
                "_0 = torch.append(l, torch.mul(y, n))",
                "p, q, r, = l",
                "return (" + layer("torch.add(d[\"b\"], q)") + ", r, l, t[0])");
    }

    @Test
    void whatDependsOnElementsIsCalledBetween() {
        List<String> how = agree(
                2,
                1,
                "y = " + layer("x"),
                "i = torch.nonzero(torch.gt(y, 0))",
                "s = torch.mul(torch.to(torch.sum(i), 6), 1e-05)",
                "return (i, " + layer("torch.add(y, s)") + ")");
        assertBroken(how, "nonzero");
    }

    /** Where nothing but its sizes is used of what elements pick. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "torch.nonzero(torch.gt(y, 0))",
                "torch.masked_select(y, torch.gt(y, 0))",
                "torch.index(y, annotate(List[Optional[Tensor]], [torch.gt(y, 0)]))"
            })
    void sizesOfWhatElementsPickAreNotThoseOfZeros(String picked) {
        Methods methods = Methods.forward(
                1,
                List.of("y = torch.relu(x)", "return (torch.size(" + picked + "), torch.mul(torch.sum(y, [0]), 2))"));
        for (int call = 0; call < 4; call++) {
            Tensor x = Agreement.floats(5, 6);
            Agreement.equal(methods.interpret("forward", x), methods.specialise("forward", x), picked);
        }
    }

    @Test
    void calledMethodsHaveRegionsOfTheirOwn() {
        String members = """
              n : int
              def inner(self: __torch__.m.M,
                x: Tensor) -> Tensor:
                y = torch.relu(%s)
                self.n = torch.add(self.n, 1)
                return %s
              def forward(self: __torch__.m.M,
                x: Tensor) -> Tensor:
                a = (self).inner(%s, )
                b = (self).inner(a, )
                return torch.add(a, %s)
            """.formatted(layer("x"), layer("y"), layer("x"), layer("b"));
        Tensor[][] calls = new Tensor[4][1];
        for (Tensor[] call : calls) {
            call[0] = Agreement.floats(40, 64);
        }
        agree(members, object -> object.set("n", 0L), 4, calls);
    }

    @Test
    void eachShapeIsCompiledOnceAmongTheLatest() {
        Methods methods = Methods.forward(
                1,
                List.of(
                        "y = " + layer("x"),
                        "if bool(torch.gt(torch.sum(y), 0)):",
                        "  y = torch.neg(y)",
                        "return " + layer("y")),
                WEIGHTS);
        for (int round = 0; round < 3; round++) {
            for (int rows = 1; rows <= 8; rows++) {
                Tensor x = Agreement.floats(rows, 64);
                Agreement.equal(methods.interpret("forward", x), methods.specialise("forward", x), "rows " + rows);
            }
        }
        assertEquals(
                true,
                methods.description().contains("2 regions compiled"),
                methods.description().toString());
    }
}
