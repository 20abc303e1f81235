package org.torchnnapi.torchscript.archive;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Numbers of PyTorch's torch/csrc/jit/serialization/mobile_bytecode.fbs that reader and writer share. */
final class FlatbufferSchema {
    static final String IDENTIFIER = "PTMF";

    /** Kinds of values. */
    static final int NONE = 0;

    static final int INT = 1;
    static final int BOOL = 2;
    static final int DOUBLE = 3;
    static final int COMPLEX = 4;
    static final int TENSOR = 5;
    static final int STRING = 6;
    static final int LIST = 7;
    static final int TUPLE = 8;
    static final int DICT = 9;
    static final int OBJECT = 10;
    static final int INT_LIST = 11;
    static final int DOUBLE_LIST = 12;
    static final int BOOL_LIST = 13;
    static final int DEVICE = 14;
    static final int ENUM = 15;
    static final int FUNCTION = 16;

    /** Kinds of classes. */
    static final int CLASS_WITH_FIELD = 1;

    static final int CUSTOM_CLASS = 2;
    static final int CLASS_WITH_SETSTATE = 3;

    /** Quantization schemes: per tensor, per channel, and per channel with real zero points. */
    static final int PER_TENSOR = 0;

    static final int PER_CHANNEL = 1;
    static final int PER_CHANNEL_FLOAT = 4;

    /** Opcodes by number (torch/csrc/jit/runtime/instruction.h). */
    private static final List<String> OPCODES = List.of(
            ("OP OPN LOAD MOVE STOREN STORE DROP DROPR LOADC JF JMP LOOP RET WAIT CALL GUARD TYPECHECK FAIL_GUARD "
                            + "PROFILE_OP TAIL_CALL INTERFACE_CALL GET_ATTR SET_ATTR LIST_UNPACK TUPLE_CONSTRUCT "
                            + "NAMED_TUPLE_CONSTRUCT LIST_CONSTRUCT DICT_CONSTRUCT "
                            + "CREATE_OBJECT ISINSTANCE TUPLE_SLICE TUPLE_INDEX RAISE_EXCEPTION DICT_INDEX "
                            + "UNCHECKED_CAST __IS__ UN_INITIALIZED __ISNOT__ FORMAT DEVICE "
                            + "DTYPE DIM __NOT__ TO_LIST NUM_TO_TENSOR IS_CUDA FORK WARN ENTER EXIT")
                    .split(" "));

    private static final Map<String, Integer> NUMBERS = new HashMap<>();

    static {
        for (int i = 0; i < OPCODES.size(); i++) {
            NUMBERS.put(OPCODES.get(i), i);
        }
    }

    private FlatbufferSchema() {}

    /** The name of an opcode, or null if there is none of that number. */
    static String opcode(int number) {
        return number < 0 || number >= OPCODES.size() ? null : OPCODES.get(number);
    }

    static int opcodes() {
        return OPCODES.size();
    }

    /** The number of an opcode, or null if there is none of that name. */
    static Integer number(String opcode) {
        return NUMBERS.get(opcode);
    }
}
