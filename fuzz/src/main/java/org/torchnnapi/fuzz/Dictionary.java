package org.torchnnapi.fuzz;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.operators.OperatorRegistry;

/** Words of the languages that come in as text or by name. */
final class Dictionary {
    private static final List<String> SYNTAX = List.of(
            "if ",
            "else:",
            "while ",
            "for i in ",
            "return ",
            "\n  ",
            "\n    ",
            "def f(self",
            "->",
            "self.",
            "CONSTANTS.c0",
            "Tensor",
            "List[int]",
            "List[Tensor]",
            "Optional[Tensor]",
            "Dict[str, Tensor]",
            "Tuple[Tensor, int]",
            "annotate(",
            "unchecked_cast(",
            "uninitialized(",
            "isinstance(",
            "torch.size(",
            "torch.len(",
            "ops.prim.NumToTensor(",
            "ops.prim.RaiseException(\"\")",
            "ops.quantized.",
            "int(",
            "float(",
            "bool(",
            "[0]",
            "None",
            "True",
            "9223372036854775807",
            "-9223372036854775808",
            "2147483648",
            "65536",
            "-1",
            "1.5",
            "float(\"inf\")",
            "float(\"nan\")",
            "[1, 1]",
            "[0, 0]",
            "[2147483647]",
            "getattr(",
            ".forward(",
            "(x, )",
            "del ",
            "assert ");

    private Dictionary() {}

    /** Of TorchScript source. */
    static List<String> source() {
        List<String> words = new ArrayList<>(SYNTAX);
        for (String kind : OperatorRegistry.withBuiltins().names()) {
            int at = kind.indexOf("::");
            String space = kind.substring(0, at);
            words.add((space.equals("aten") ? "torch." : "ops." + space + ".") + kind.substring(at + 2) + "(");
        }
        return words;
    }

    /** Of the tables of byte code. */
    static List<String> bytecode() {
        List<String> words = new ArrayList<>(OperatorRegistry.withBuiltins().names());
        words.addAll(List.of(
                "OP",
                "OPN",
                "LOAD",
                "LOADC",
                "MOVE",
                "STORE",
                "STOREN",
                "DROP",
                "DROPR",
                "RET",
                "JF",
                "JMP",
                "LOOP",
                "LIST_CONSTRUCT",
                "LIST_UNPACK",
                "TUPLE_CONSTRUCT",
                "TUPLE_INDEX",
                "TUPLE_SLICE",
                "NAMED_TUPLE_CONSTRUCT",
                "DICT_CONSTRUCT",
                "CREATE_OBJECT",
                "GET_ATTR",
                "SET_ATTR",
                "CALL",
                "INTERFACE_CALL",
                "ISINSTANCE",
                "RAISE_EXCEPTION",
                "UNCHECKED_CAST",
                "FORMAT",
                "NUM_TO_TENSOR",
                "DTYPE",
                "DIM",
                "__IS__",
                "__NOT__"));
        words.addAll(List.of(
                "Tensor",
                "List[int]",
                "Optional[Tensor]",
                "int",
                "float",
                "bool",
                "str",
                "Dict[str, Tensor]",
                "instructions",
                "operators",
                "constants",
                "types",
                "register_size",
                "schema",
                "arguments",
                "returns"));
        return words;
    }

    /** Of programs of torch.export. */
    static List<String> program() {
        List<String> words = new ArrayList<>();
        for (String kind : OperatorRegistry.withBuiltins().names()) {
            if (kind.startsWith("aten::") || kind.startsWith("quantized_decomposed::")) {
                words.add("torch.ops." + kind.replace("::", ".") + ".default");
            }
        }
        for (String name :
                new String[] {"cond", "while_loop", "map_impl", "scan", "associative_scan", "hints_wrapper"}) {
            words.add("torch.ops.higher_order." + name);
        }
        words.addAll(List.of(
                "torch._functorch.predispatch._vmap_increment_nesting",
                "torch._functorch.predispatch._vmap_decrement_nesting",
                "torch._functorch.predispatch._add_batch_dim",
                "torch._functorch.predispatch._remove_batch_dim",
                "_operator.add",
                "_operator.mod",
                "_operator.pow",
                "torch.sym_ite",
                "{\"as_none\": true}",
                "{\"as_int\": -1}",
                "{\"as_int\": 9223372036854775807}",
                "{\"as_ints\": [1, 1]}",
                "{\"as_tensor\": {\"name\": \"x\"}}",
                "{\"as_tensors\": []}",
                "{\"as_sym_int\": {\"as_name\": \"n\"}}",
                "{\"as_expr\": {\"expr_str\": \"Mul(Integer(2), Symbol('s1'))\"}}",
                "\"user_input_mutation\"",
                "\"tensor_constant\"",
                "collections.namedtuple",
                "L['x'].size()[0]",
                " // ",
                " ** 2"));
        return words;
    }

    /** A line each, quoted. */
    static List<String> lines(List<String> words) {
        List<String> lines = new ArrayList<>();
        for (String word : words) {
            lines.add("\"" + word.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\x0a") + "\"");
        }
        return lines;
    }
}
