package org.torchnnapi.fuzz;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.operators.OperatorRegistry;

/** Words of the languages that come in as text or by name. */
final class Dictionary {
    private static final List<String> SYNTAX = List.of("if ", "else:", "while ", "for i in ", "return ", "\n  ", "\n    ", "def f(self", "->", "self.", "CONSTANTS.c0",
        "Tensor", "List[int]", "List[Tensor]", "Optional[Tensor]", "Dict[str, Tensor]", "Tuple[Tensor, int]", "annotate(", "unchecked_cast(", "uninitialized(",
        "isinstance(", "torch.size(", "torch.len(", "ops.prim.NumToTensor(", "ops.prim.RaiseException(\"\")", "ops.quantized.", "int(", "float(", "bool(", "[0]",
        "None", "True", "9223372036854775807", "-9223372036854775808", "2147483648", "65536", "-1", "1.5", "float(\"inf\")", "float(\"nan\")", "[1, 1]", "[0, 0]",
        "[2147483647]", "getattr(", ".forward(", "(x, )", "del ", "assert ");

    private Dictionary() {
    }

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
        words.addAll(List.of("OP", "OPN", "LOAD", "LOADC", "MOVE", "STORE", "STOREN", "DROP", "DROPR", "RET", "JF", "JMP", "LOOP", "LIST_CONSTRUCT",
            "LIST_UNPACK", "TUPLE_CONSTRUCT", "TUPLE_INDEX", "TUPLE_SLICE", "NAMED_TUPLE_CONSTRUCT", "DICT_CONSTRUCT", "CREATE_OBJECT", "GET_ATTR", "SET_ATTR",
            "CALL", "INTERFACE_CALL", "ISINSTANCE", "RAISE_EXCEPTION", "UNCHECKED_CAST", "FORMAT", "NUM_TO_TENSOR", "DTYPE", "DIM", "__IS__", "__NOT__"));
        words.addAll(List.of("Tensor", "List[int]", "Optional[Tensor]", "int", "float", "bool", "str", "Dict[str, Tensor]", "instructions", "operators", "constants",
            "types", "register_size", "schema", "arguments", "returns"));
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
