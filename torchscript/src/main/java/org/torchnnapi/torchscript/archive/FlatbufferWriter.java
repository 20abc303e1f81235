package org.torchnnapi.torchscript.archive;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Writes modules for the lite interpreter as FlatBuffers, byte code version 9, the inverse of {@link FlatbufferModule}:
 * extra files, the module's object, functions. Sources have no place in them.
 */
final class FlatbufferWriter {
    private static final int VERSION = 9;
    private static final int MAX_COUNT = 0xFFFF;

    private final FlatbufferTables out = new FlatbufferTables();
    private final FlatbufferValues values = new FlatbufferValues(out);

    private FlatbufferWriter() {}

    /**
     * @param data the module's object as a value tree
     * @param bytecode value tree of a {@code bytecode.pkl}
     * @param operators file format whose meaning of operators the code relies on
     * @throws ArchiveException if an instruction does not fit the form
     */
    static ByteBuffer write(Object data, ScriptTuple bytecode, Map<String, ByteBuffer> extra, int operators) {
        return new FlatbufferWriter().module(data, bytecode, extra, operators);
    }

    private ByteBuffer module(Object data, ScriptTuple bytecode, Map<String, ByteBuffer> extra, int operators) {
        List<ScriptTuple> functions = new ArrayList<>();
        bytecode.items().subList(1, bytecode.size()).forEach(function -> functions.add((ScriptTuple) function));
        // Objects are made as they are read, by functions that are read before them.
        functions.sort((a, b) -> Boolean.compare(!setsState(a), !setsState(b)));
        List<Integer> methods = new ArrayList<>();
        functions.forEach(function -> methods.add(values.function((String) function.get(0), function(function))));
        int object = values.value(data);
        List<Integer> files = new ArrayList<>();
        extra.forEach((name, bytes) -> files.add(
                out.table(2).part(0, out.text(name)).part(1, out.bytes(bytes)).end()));
        int extraFiles = out.offsets(files);
        int methodNumbers = out.integers(methods);
        int storages = values.storages();
        int types = values.types();
        int all = values.all();
        return out.finish(out.table(12)
                .integer(0, VERSION)
                .part(1, extraFiles)
                .part(2, methodNumbers)
                .integer(3, object)
                .part(4, all)
                .integer(5, values.storageCount())
                .part(6, storages)
                .part(7, types)
                .integer(10, operators)
                .end());
    }

    private static boolean setsState(ScriptTuple function) {
        return ((String) function.get(0)).endsWith(".__setstate__");
    }

    private int function(ScriptTuple function) {
        String name = (String) function.get(0);
        ScriptTuple body = (ScriptTuple) function.get(1);
        ScriptTuple schema = (ScriptTuple) function.get(2);
        int constants = constants(body);
        int instructions = instructions(name, body);
        int operators = operators(body);
        List<Integer> texts = new ArrayList<>();
        items(body, "types").forEach(type -> texts.add(out.text((String) type)));
        int types = out.offsets(texts);
        int arguments = arguments(items(schema, "arguments"));
        int returns = arguments(items(schema, "returns"));
        int signature = out.table(2).part(0, arguments).part(1, returns).end();
        int registers = Math.toIntExact((Long) field(body, "register_size"));
        return out.table(9)
                .part(0, out.text(name))
                .part(1, instructions)
                .part(2, operators)
                .part(3, constants)
                .part(4, types)
                .integer(5, registers)
                .part(6, signature)
                .integer(8, values.classOf(name))
                .end();
    }

    private int constants(ScriptTuple body) {
        List<Integer> numbers = new ArrayList<>();
        items(body, "constants").forEach(constant -> numbers.add(values.value(constant)));
        return out.integers(numbers);
    }

    private int instructions(String name, ScriptTuple body) {
        List<int[]> all = new ArrayList<>();
        for (Object item : items(body, "instructions")) {
            ScriptTuple instruction = (ScriptTuple) item;
            Integer opcode = FlatbufferSchema.number((String) instruction.get(0));
            long count = (Long) instruction.get(2);
            if (opcode == null || count < 0 || count > MAX_COUNT) {
                throw new ArchiveException(
                        name + ": instruction " + instruction.get(0) + " of " + count + " values (expected: at most "
                                + MAX_COUNT + " in a flatbuffer; write byte code as an archive)");
            }
            all.add(new int[] {opcode, (int) count, Math.toIntExact((Long) instruction.get(1))});
        }
        return out.instructions(all);
    }

    private int operators(ScriptTuple body) {
        List<Integer> all = new ArrayList<>();
        for (Object item : items(body, "operators")) {
            ScriptTuple operator = (ScriptTuple) item;
            int name = out.text((String) operator.get(0));
            int overload = out.text((String) operator.get(1));
            all.add(out.table(3)
                    .part(0, name)
                    .part(1, overload)
                    .integer(2, Math.toIntExact((Long) operator.get(2)), -1)
                    .end());
        }
        return out.offsets(all);
    }

    private int arguments(List<Object> arguments) {
        List<Integer> all = new ArrayList<>();
        for (Object item : arguments) {
            ScriptTuple argument = (ScriptTuple) item;
            int name = out.text((String) field(argument, "name"));
            int type = out.text((String) field(argument, "type"));
            all.add(out.table(3)
                    .part(0, name)
                    .part(1, type)
                    .integer(2, values.value(field(argument, "default_value")))
                    .end());
        }
        return out.offsets(all);
    }

    private static List<Object> items(ScriptTuple pairs, String key) {
        return ((ScriptTuple) field(pairs, key)).items();
    }

    private static Object field(ScriptTuple pairs, String key) {
        for (Object pair : pairs.items()) {
            if (key.equals(((ScriptTuple) pair).get(0))) {
                return ((ScriptTuple) pair).get(1);
            }
        }
        throw new IllegalArgumentException("no " + key + " in " + pairs);
    }
}
