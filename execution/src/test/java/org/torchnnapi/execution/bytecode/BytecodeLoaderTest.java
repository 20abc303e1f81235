package org.torchnnapi.execution.bytecode;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.torchnnapi.execution.interp.Interpreter;
import org.torchnnapi.execution.interp.Scripts;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.operators.OperatorRegistry;
import org.torchnnapi.operators.builtin.Builtins;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.torchscript.bytecode.BytecodeException;
import org.torchnnapi.torchscript.bytecode.BytecodeLoader;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.GraphVerifier;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.pickle.PickledDict;
import org.torchnnapi.torchscript.pickle.PickledObject;
import org.torchnnapi.torchscript.value.ScriptException;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptObject;
import org.torchnnapi.torchscript.value.ScriptTuple;

class BytecodeLoaderTest {
    private static final String NET = "__torch__.Net";

    private static ScriptTuple t(Object... items) {
        return ScriptTuple.of(items);
    }

    private static ScriptTuple argument(String name, String type) {
        return t(t("name", name), t("type", type), t("default_value", null));
    }

    /** Instructions as text, {@code "LOAD 1; RET"}. */
    private static ScriptTuple code(String text) {
        List<Object> code = new ArrayList<>();
        for (String line : text.split(";")) {
            String[] parts = line.strip().split(" ");
            code.add(t(
                    parts[0],
                    parts.length > 1 ? Long.parseLong(parts[1]) : 0L,
                    parts.length > 2 ? Long.parseLong(parts[2]) : 0L));
        }
        return new ScriptTuple(code, null);
    }

    private static ScriptTuple bytecode(
            long version, String instructions, List<?> operators, List<?> constants, String... types) {
        return t(
                version,
                t(
                        NET + ".forward",
                        t(
                                t("instructions", code(instructions)),
                                t("operators", new ScriptTuple(operators, null)),
                                t("constants", new ScriptTuple(constants, null)),
                                t("types", new ScriptTuple(Arrays.asList(types), null)),
                                t("register_size", 9L)),
                        t(
                                t("arguments", t(argument("self", NET), argument("n", "int"))),
                                t("returns", t(argument("", "Any"))))));
    }

    private static PickledObject data() {
        return new PickledObject(NET, new PickledDict(null).put("k", 5L).put("name", "net"));
    }

    private static Object run(ScriptTuple bytecode, Object n) {
        return run(bytecode, n, 10);
    }

    private static Object run(ScriptTuple bytecode, Object n, int operatorVersion) {
        return run(bytecode, n, operatorVersion, OperatorRegistry.withBuiltins());
    }

    private static Object run(ScriptTuple bytecode, Object n, int operatorVersion, OperatorRegistry operators) {
        BytecodeLoader loader = new BytecodeLoader(bytecode, data(), (tree, types) -> tree, operators, operatorVersion);
        ClassType type = (ClassType) loader.type(NET);
        Function forward = type.method("forward");
        GraphVerifier.verify(forward.graph());
        ScriptObject net = new ScriptObject(type);
        net.set("k", 5L);
        net.set("name", "net");
        return new Interpreter(operators::overloads, name -> null).run(forward, net, n);
    }

    private static final List<?> OPERATORS = List.of(
            t("aten::add", "int", 2L),
            t("aten::lt", "int", 2L),
            t("aten::mul", "int", 2L),
            t("aten::split", "str", 2L),
            t("mine::thing", "", 1L));
    private static final List<?> CONSTANTS = Arrays.asList(0L, Long.MAX_VALUE, true, 10L, "a,b", ",", null);

    @Test
    void attributesAndOperators() {
        assertEquals(
                13L,
                run(
                        bytecode(
                                8,
                                "STOREN 1 2; LOAD 1; GET_ATTR 0; MOVE 2; OP 0; STORE 3; DROPR 1; MOVE 3; RET",
                                OPERATORS,
                                CONSTANTS),
                        8L));
    }

    @ParameterizedTest
    @ValueSource(longs = {4, 5, 6, 7, 8, 9})
    void branchesInAllVersions(long version) {
        ScriptTuple code = bytecode(
                version,
                "STOREN 1 2; LOAD 2; LOADC 3; OP 1; JF 5; LOAD 2; LOADC 3; OP 2; JMP 2; LOADC 0; STORE 3; MOVE 3; RET",
                OPERATORS,
                CONSTANTS);
        assertEquals(40L, run(code, 4L));
        assertEquals(0L, run(code, 11L));
    }

    /** Instructions of version 8 were operators before. */
    @ParameterizedTest
    @ValueSource(longs = {4, 5, 7, 8})
    void itemsOfTuplesInAllVersions(long version) {
        List<?> operators = List.of(t("prim::TupleIndex", "", 2L), t("prim::Uninitialized", "", 0L));
        String index = version < 8 ? "OP 0" : "TUPLE_INDEX";
        String unset = version < 8 ? "OP 1" : "UN_INITIALIZED";
        ScriptTuple code = bytecode(
                version,
                "STOREN 1 2; " + unset + "; STORE 3; LOAD 2; LOADC 0; TUPLE_CONSTRUCT 2; LOADC 1; " + index + "; RET",
                operators,
                Arrays.asList(7L, 1L));
        assertEquals(7L, run(code, 4L));
    }

    @Test
    void loops() {
        ScriptTuple code = bytecode(
                8,
                "STOREN 1 2; LOADC 0; LOAD 2; LOADC 2; LOADC 0; LOOP 8 3; STOREN 3 2; LOAD 4; LOAD 3; OP 0; STORE 5; "
                        + "LOADC 2; "
                        + "LOAD 5; JMP -8; STORE 6; MOVE 6; RET",
                OPERATORS,
                CONSTANTS);
        assertThrows(BytecodeException.class, () -> run(code, 5L), "the jump back misses the loop by one");
        ScriptTuple right = bytecode(
                8,
                "STOREN 1 2; LOADC 0; LOAD 2; LOADC 2; LOADC 0; LOOP 9 3; STOREN 3 2; LOAD 4; LOAD 3; OP 0; STORE 5; "
                        + "LOADC 2; "
                        + "LOAD 5; JMP -8; STORE 6; MOVE 6; RET",
                OPERATORS,
                CONSTANTS);
        assertEquals(10L, run(right, 5L));
        assertEquals(0L, run(right, 0L));
    }

    /** Files of PyTorch 1.6 and before say nothing of a method's arguments. */
    @Test
    void methodsWithoutSchema() {
        ScriptTuple with = bytecode(
                4, "STOREN 1 2; LOAD 1; GET_ATTR 0; MOVE 2; OP 0; STORE 3; DROPR 1; MOVE 3; RET", OPERATORS, CONSTANTS);
        ScriptTuple method = (ScriptTuple) with.get(1);
        assertEquals(13L, run(t(4L, t(method.get(0), method.get(1), null)), 8L));
        assertEquals(13L, run(t(4L, t(method.get(0), method.get(1))), 8L));
        ScriptTuple many = (ScriptTuple)
                bytecode(4, "STOREN 1 2147483647; RET", OPERATORS, CONSTANTS).get(1);
        BytecodeException refused =
                assertThrows(BytecodeException.class, () -> run(t(4L, t(many.get(0), many.get(1), null)), 8L));
        assertTrue(refused.getMessage().contains("2147483647 arguments (expected: "), refused.getMessage());
    }

    /** As the lite interpreter's upgraders do; the first division of integers was cut off. */
    @Test
    void operatorsOfEarlierFilesMeanWhatTheyMeant() {
        List<?> operators =
                List.of(t("aten::div", "Tensor", 2L), t("aten::linspace", "", 7L), t("aten::linspace", "out", 3L));
        List<?> constants = Arrays.asList(
                Tensor.of(new long[] {7}, 1), Tensor.of(new long[] {2}, 1), 0L, 1L, null, Tensor.of(new float[0], 0));
        ScriptTuple div = bytecode(4, "STOREN 1 2; LOADC 0; LOADC 1; OP 0; RET", operators, constants);
        assertEquals(3L, ((Tensor) run(div, 1L, 3)).getLong(0));
        assertEquals(3.5, ((Tensor) run(div, 1L, 4)).getDouble(0));
        ScriptTuple linspace = bytecode(
                6,
                "STOREN 1 2; LOADC 2; LOADC 3; LOADC 4; LOADC 4; LOADC 4; LOADC 4; LOADC 4; OP 1; RET",
                operators,
                constants);
        assertEquals(100, ((Tensor) run(linspace, 1L, 7)).numel());
        ScriptTuple out = bytecode(6, "STOREN 1 2; LOADC 2; LOADC 3; LOADC 5; OP 2; RET", operators, constants);
        assertEquals(100, ((Tensor) run(out, 1L, 7)).numel());
    }

    /**
     * PyTorch's executor takes a constant without dimensions for a number, its lite interpreter takes it as it stands;
     * genuine values.
     */
    @Test
    void constantsStayTensors() {
        List<?> constants = Arrays.asList(Tensor.of(new int[] {1, 2}, 2), Tensor.of(DType.FLOAT64, new double[] {1.1}));
        ScriptTuple code = bytecode(
                8, "STOREN 1 2; LOADC 0; LOADC 1; OP 0; RET", List.of(t("aten::mul", "Tensor", 2L)), constants);
        Tensor product = (Tensor) run(code, 1L, 10);
        assertEquals(DType.FLOAT64, product.dtype());
        assertEquals(2 * 1.1, product.getDouble(1));
    }

    /** A class may occur nowhere but in a constant. */
    @Test
    void constantsAreObjects() {
        Object held = new PickledObject("__torch__.Held", new PickledDict(null).put("value", 7L));
        ScriptTuple code = bytecode(8, "STOREN 1 2; LOADC 0; RET", OPERATORS, List.of(held));
        ClassType type = (ClassType)
                new BytecodeLoader(code, data(), (tree, types) -> tree, Scripts.facts(), 10).type("__torch__.Held");
        assertEquals(0, type.slot("value"));
    }

    /** Overloads for lists of tensors have names of their own in byte code. */
    @Test
    void listsOfTensorsAreSorted() {
        ScriptList list = new ScriptList(
                Type.Basic.TENSOR,
                new ArrayList<Object>(List.of(Tensor.of(new long[] {3}), Tensor.of(new long[] {1}))));
        ScriptTuple code = bytecode(
                8,
                "STOREN 1 2; LOADC 0; OP 0; LOADC 0; OP 1; RET",
                List.of(t("aten::sort", "Tensor", 1L), t("aten::sorted", "Tensor", 1L)),
                List.of(list));
        List<?> sorted = ((ScriptList) run(code, 1L)).items();
        assertEquals(
                List.of(1L, 3L), List.of(((Tensor) sorted.get(0)).getLong(0), ((Tensor) sorted.get(1)).getLong(0)));
    }

    /** Their nodes have attributes and blocks, which no operator of a file brings. */
    @ParameterizedTest
    @ValueSource(strings = {"prim::CallFunction", "prim::If", "prim::SetAttr", "prim::Constant"})
    void nodesOfTheGraphAreNoOperators(String kind) {
        ScriptTuple code = bytecode(8, "STOREN 1 2; LOAD 1; OP 0; RET", List.of(t(kind, "", 1L)), CONSTANTS);
        BytecodeException refused = assertThrows(BytecodeException.class, () -> run(code, 1L));
        assertTrue(refused.getMessage().contains("unknown operator " + kind + " (expected: "), refused.getMessage());
    }

    /**
     * How many results an operator has, byte code does not say: where more are taken than were supposed, the operator
     * is what is missing.
     */
    @Test
    void operatorsOfSeveralResultsThatNobodyKnows() {
        ScriptTuple code = bytecode(
                8, "STOREN 1 2; LOAD 2; OP 0; STOREN 3 2; LOAD 3; RET", List.of(t("mine::pair", "", 1L)), CONSTANTS);
        BytecodeException refused = assertThrows(BytecodeException.class, () -> run(code, 1L));
        assertTrue(refused.getMessage().contains("unknown operator mine::pair (expected: "), refused.getMessage());
    }

    @Test
    void missingArgumentsAreDefaults() {
        assertEquals(
                "[a, b]",
                run(bytecode(8, "STOREN 1 2; LOADC 4; LOADC 5; OP 3; RET", OPERATORS, CONSTANTS), 1L)
                        .toString());
    }

    @Test
    void containersAndShortForms() {
        assertEquals(
                "{a,b: [1, 10]}",
                run(
                                bytecode(
                                        8,
                                        "STOREN 1 2; LOADC 4; LOAD 2; LOADC 3; LIST_CONSTRUCT 0 2; DICT_CONSTRUCT 1 "
                                                + "2; RET",
                                        OPERATORS,
                                        CONSTANTS,
                                        "List[int]",
                                        "Dict[str, List[int]]"),
                                1L)
                        .toString()
                        .replace('=', ':')
                        .replace(":[", ": ["));
        assertEquals(true, run(bytecode(8, "STOREN 1 2; LOADC 6; LOADC 6; __IS__; RET", OPERATORS, CONSTANTS), 1L));
        assertEquals(
                true,
                run(bytecode(8, "STOREN 1 2; LOAD 2; ISINSTANCE 0 2; RET", OPERATORS, CONSTANTS, "str", "int"), 1L));
        assertEquals(
                "n=7", run(bytecode(8, "STOREN 1 2; LOADC 0; LOAD 2; FORMAT 2; RET", OPERATORS, List.of("n={}")), 7L));
        assertEquals(
                "RuntimeError: oh",
                assertThrows(
                                ScriptException.class,
                                () -> run(
                                        bytecode(
                                                8,
                                                "STOREN 1 2; LOADC 0; LOADC 1; RAISE_EXCEPTION; LOADC 1; RET",
                                                OPERATORS,
                                                Arrays.asList("oh", null)),
                                        7L))
                        .getMessage());
    }

    @Test
    void attributesCanBeSetAndMadeUp() {
        assertEquals(
                9L,
                run(
                        bytecode(
                                8,
                                "STOREN 1 2; LOAD 1; LOAD 2; SET_ATTR 3; LOAD 1; GET_ATTR 3; RET",
                                OPERATORS,
                                CONSTANTS),
                        9L));
    }

    @Test
    void methodsCallEachOther() {
        ScriptException e = assertThrows(
                ScriptException.class,
                () -> run(
                        bytecode(
                                8,
                                "STOREN 1 2; LOAD 1; LOAD 2; INTERFACE_CALL 0 2; RET",
                                OPERATORS,
                                List.of("forward")),
                        1L));
        assertTrue(e.getMessage().startsWith("RecursionError"), e.getMessage());
    }

    /** PyTorch 2 gave {@code aten::pad_sequence} an argument more under the same name. */
    @Test
    void argumentsThatALaterReleaseAdded() {
        OperatorFamily family = r -> {
            r.op("my::sum(int a, int b=1) -> int", in -> (long) in[0] + (long) in[1]);
            r.op("my::sum.other(int x, int y, int z) -> int", in -> -1L);
            r.op("my::sum.scaled(int a, int b, int factor) -> int", in -> ((long) in[0] + (long) in[1]) * (long) in[2]);
        };
        OperatorRegistry operators =
                new OperatorRegistry().add(Builtins.FAMILIES).add(List.of(family));
        List<?> table = List.of(t("my::sum", "", 3L), t("my::sum", "", 2L), t("my::sum", "", 4L));
        String three = "STOREN 1 2; DROPR 1; LOAD 2; LOAD 2; LOADC 3; OP 0; RET";
        assertEquals(80L, run(bytecode(8, three, table, CONSTANTS), 4L, 10, operators));
        assertEquals(
                8L,
                run(
                        bytecode(8, "STOREN 1 2; DROPR 1; LOAD 2; LOAD 2; OP 1; RET", table, CONSTANTS),
                        4L,
                        10,
                        operators));
        ScriptTuple tooMany =
                bytecode(8, "STOREN 1 2; DROPR 1; LOAD 2; LOAD 2; LOADC 3; LOADC 3; OP 2; RET", table, CONSTANTS);
        ScriptException e = assertThrows(ScriptException.class, () -> run(tooMany, 4L, 10, operators));
        assertTrue(e.getMessage().contains("my::sum"), e.getMessage());
    }

    @Test
    void unknownOperatorsFailWhenTheyRun() {
        ScriptException e = assertThrows(
                ScriptException.class,
                () -> run(bytecode(8, "STOREN 1 2; LOAD 2; OP 4; RET", OPERATORS, CONSTANTS), 1L));
        assertTrue(e.getMessage().contains("mine::thing"), e.getMessage());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "RET; RET",
                "POP",
                "STOREN 1 3; RET",
                "LOAD 7; RET",
                "LOADC 99; RET",
                "OP 77; RET",
                "JF 3; RET",
                "LOOP 2 2; RET",
                "STOREN 1 2; LOADC 2; JF 3; LOADC 0; JMP 1; RET",
                "STOREN 1 2; LOADC 2; JF -1; RET",
                "DROP; DROP; DROP",
                "LIST_CONSTRUCT 5 0; RET",
                "FORK 0; RET",
                "LIST_UNPACK 1000000000; RET",
                "STOREN 1 2; LOAD 1; GET_ATTR -1; RET",
                "STOREN 1 -2; RET",
                "OPN 0 5; OP 0; RET",
                "STOREN 1 2; LOAD 1; GET_ATTR 100000000; RET",
                "UNKNOWN_OP; RET",
                "CREATE_OBJECT 0; RET",
                "LIST_CONSTRUCT 0 0; RET",
                "DICT_CONSTRUCT 0 0; RET",
                "NAMED_TUPLE_CONSTRUCT 0 0; RET",
                "STOREN 1 2; LOADC 0; JF 3; LOADC 0; JMP 2; LOADC 0; RET",
                "STOREN 1 2; LOADC 0; LOAD 2; LOADC 0; LOADC 0; LOOP 9 3; STOREN 3 2; LOAD 4; LOAD 3; OP 0; STORE 5; "
                        + "LOADC 2; LOAD 5; JMP -8; STORE 6; MOVE 6; RET",
                "STOREN 1 2; LOADC 0; LOADC 6; LOADC 2; LOADC 0; LOOP 9 3; STOREN 3 2; LOAD 4; LOAD 3; OP 0; STORE "
                        + "5; LOADC 2; LOAD 5; JMP -8; STORE 6; MOVE 6; RET",
                "STOREN 1 2; LOADC 0; LOAD 2; LOADC 2; LOADC 0; LOOP 9 3; STOREN 3 2; LOAD 4; LOAD 3; OP 0; STORE 5; "
                        + "LOADC 0; LOAD 5; JMP -8; STORE 6; MOVE 6; RET"
            })
    void brokenCodeIsATypedError(String code) {
        assertThrows(BytecodeException.class, () -> run(bytecode(8, code, OPERATORS, CONSTANTS, "int"), 1L));
    }

    @ParameterizedTest
    @ValueSource(longs = {3, 10, -1})
    void otherVersionsAreRefused(long version) {
        assertThrows(BytecodeException.class, () -> run(bytecode(version, "RET", OPERATORS, CONSTANTS), 1L));
    }

    @Test
    void randomCodeGivesTypedErrorsOnly() {
        Random random = new Random(3);
        String[] ops = {
            "LOAD",
            "MOVE",
            "STORE",
            "STOREN",
            "DROP",
            "DROPR",
            "LOADC",
            "JF",
            "JMP",
            "LOOP",
            "RET",
            "OP",
            "OPN",
            "GET_ATTR",
            "SET_ATTR",
            "LIST_CONSTRUCT",
            "TUPLE_CONSTRUCT",
            "TUPLE_INDEX",
            "DICT_CONSTRUCT",
            "INTERFACE_CALL",
            "ISINSTANCE",
            "TO_LIST",
            "FORMAT",
            "__IS__"
        };
        int built = 0;
        for (int i = 0; i < 20_000; i++) {
            StringBuilder code = new StringBuilder("STOREN 1 2");
            for (int k = random.nextInt(12); k >= 0; k--) {
                code.append("; ")
                        .append(ops[random.nextInt(ops.length)])
                        .append(' ')
                        .append(random.nextInt(6) - 1)
                        .append(' ')
                        .append(random.nextInt(5) - 1);
            }
            code.append("; LOAD 2; RET");
            try {
                BytecodeLoader loader = new BytecodeLoader(
                        bytecode(8, code.toString(), OPERATORS, CONSTANTS, "int", "List[int]"),
                        data(),
                        (tree, types) -> tree,
                        Scripts.facts(),
                        10);
                GraphVerifier.verify(
                        ((ClassType) loader.type(NET)).method("forward").graph());
                built++;
            } catch (BytecodeException | IllegalStateException e) {
                assertTrue(e.getMessage().contains("expected"), e.getMessage());
            }
        }
        assertTrue(built > 100, "built: " + built);
    }
}
