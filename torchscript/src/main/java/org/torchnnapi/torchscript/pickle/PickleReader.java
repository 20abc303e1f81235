package org.torchnnapi.torchscript.pickle;

import static org.torchnnapi.torchscript.pickle.Opcode.*;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.DType;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.format.ArchiveException;
import org.torchnnapi.torchscript.format.ReadBudget;
import org.torchnnapi.torchscript.format.Utf8;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Reads one pickle, protocols 2 to 4. Only data comes of it: globals are looked up in {@link KnownGlobals}, classes of
 * the archive become {@link PickledObject}s. The result has no cycles and a bounded depth, so that code may recurse
 * over it.
 */
public final class PickleReader {
    /** Levels of nesting of a value; a module inside a module takes two. */
    static final int MAX_DEPTH = 400;

    private static final int MAX_MARKS = MAX_DEPTH * 4;
    /** Values that are charged for at once. */
    private static final int CHARGED_AT_ONCE = 256;

    private static final Object MARKER = new Object();

    private final String name;
    /** Read from an array, which takes a fraction of the time before anything is compiled. */
    private final byte[] in;

    private int at;
    private final StorageSource storages;
    private Object[] stack = new Object[256];
    private int height;
    private final int[] marks = new int[MAX_MARKS];
    private int openMarks;
    /** By number, as far as values were stored in that order, and the others. */
    private final List<Object> memo = new ArrayList<>();

    private final Map<Integer, Object> otherMemo = new HashMap<>();
    private final ReadBudget budget;
    /** Of those that were charged for. */
    private int valuesLeft;

    /** Whether globals that are not known stand for themselves. */
    private final boolean namesOthers;

    private PickleReader(
            String name, ByteBuffer bytes, StorageSource storages, ReadBudget budget, boolean namesOthers) {
        this.name = name;
        this.namesOthers = namesOthers;
        this.budget = budget;
        this.in = new byte[bytes.remaining()];
        bytes.duplicate().get(in);
        this.storages = storages;
    }

    /**
     * @param name for error messages, for example {@code data.pkl}
     * @param budget charged for each value
     * @param isWalked whether code may follow each path through the tree: then what is shared is charged for at each
     *     place where it is. Debug information, which shares its texts many thousand times, is read value by value
     * @return the value; see the package description for its types
     * @throws ArchiveException if the pickle is damaged, names an unknown global, or exceeds a limit
     */
    public static Object read(
            String name, ByteBuffer bytes, StorageSource storages, ReadBudget budget, boolean isWalked) {
        return read(new PickleReader(name, bytes, storages, budget, false), name, budget, isWalked);
    }

    /**
     * As {@link #read} of what is walked, where calls of other globals are {@link PickledObject}s of their names, whose
     * states are the arguments, and then what they are built with. None is made or run.
     */
    public static Object readNamed(String name, ByteBuffer bytes, StorageSource storages, ReadBudget budget) {
        return read(new PickleReader(name, bytes, storages, budget, true), name, budget, true);
    }

    private static Object read(PickleReader reader, String name, ReadBudget budget, boolean isWalked) {
        try {
            Object value = reader.run();
            if (value instanceof PickleGlobal || value instanceof DType) {
                throw reader.error("is only a global", "a value");
            }
            long walked = TreeCheck.check(name, value);
            if (isWalked) {
                budget.charge(name, "values, each as often as it is shared", walked, ReadBudget.SHARED_BYTES);
            }
            return value;
        } catch (ArrayIndexOutOfBoundsException e) {
            throw new ArchiveException(name + ": ends inside an opcode (expected: a whole pickle, ended by STOP)", e);
        }
    }

    // One loop over all, as a method for each step would be called often enough for the virtual machine to optimise it,
    // with all that it
    // calls, for a tenth of the whole start.
    private Object run() {
        while (true) {
            int opcode = in[at++] & 0xFF;
            switch (opcode) {
                case STOP -> {
                    return pop();
                }
                case PROTO -> protocol(in[at++] & 0xFF);
                case FRAME -> int64();
                case MARK -> mark();
                case POP -> pop();
                case NONE -> push(null);
                case NEWTRUE -> push(true);
                case NEWFALSE -> push(false);
                case BININT -> push((long) int32());
                case BININT1 -> push((long) (in[at++] & 0xFF));
                case BININT2 -> push((long) unsigned16());
                case LONG1 -> push(littleEndian(in[at++] & 0xFF));
                case BINFLOAT -> push(Double.longBitsToDouble(Long.reverseBytes(int64())));
                case SHORT_BINUNICODE -> push(text(in[at++] & 0xFF));
                case BINUNICODE -> push(text(int32() & 0xFFFFFFFFL));
                case BINUNICODE8 -> push(text(int64()));
                case EMPTY_TUPLE -> push(ScriptTuple.of());
                case TUPLE1 -> push(new ScriptTuple(take(1), null));
                case TUPLE2 -> push(new ScriptTuple(take(2), null));
                case TUPLE3 -> push(new ScriptTuple(take(3), null));
                case TUPLE -> push(new ScriptTuple(takeToMark(), null));
                case EMPTY_LIST -> push(new PickledList(null));
                case LIST -> push(new PickledList(null, takeToMark()));
                case APPEND -> append(take(1));
                case APPENDS -> append(takeToMark());
                case EMPTY_DICT -> push(new PickledDict(null));
                case DICT -> {
                    List<Object> items = takeToMark();
                    push(new PickledDict(null));
                    setItems(items);
                }
                case SETITEM -> setItems(take(2));
                case SETITEMS -> setItems(takeToMark());
                case GLOBAL -> push(global(line(), line()));
                case STACK_GLOBAL -> {
                    List<Object> names = take(2);
                    push(global(string(names.get(0)), string(names.get(1))));
                }
                case NEWOBJ -> newObject(take(2));
                case REDUCE -> reduce(take(2));
                case BUILD -> build(pop());
                case BINPERSID -> push(storage(pop()));
                case BINPUT -> put(in[at++] & 0xFF);
                case LONG_BINPUT -> put(int32());
                case MEMOIZE -> put(memoSize());
                case BINGET -> get(in[at++] & 0xFF);
                case LONG_BINGET -> get(int32());
                default ->
                    throw error(String.format("opcode 0x%02x", opcode), "an opcode that TorchScript pickles use");
            }
        }
    }

    private void protocol(int version) {
        if (version < 2 || version > 4) {
            throw error("protocol " + version, "2 to 4");
        }
    }

    private long littleEndian(int bytes) {
        if (bytes > 8) {
            throw error("integer of " + bytes + " bytes", "at most 8");
        }
        long value = 0;
        for (int i = 0; i < bytes; i++) {
            long b = i == bytes - 1 ? in[at++] : in[at++] & 0xFF;
            value |= b << 8 * i;
        }
        return value;
    }

    private String text(long bytes) {
        if (bytes < 0 || bytes > in.length - at) {
            throw error("string of " + bytes + " bytes", "at most the " + (in.length - at) + " bytes left");
        }
        int start = at;
        at += (int) bytes;
        try {
            return Utf8.decode(in, start, (int) bytes);
        } catch (CharacterCodingException e) {
            throw error("string that is not UTF-8", "UTF-8 text");
        }
    }

    private String line() {
        int end = at;
        while (in[end] != '\n') {
            end++;
        }
        String line = text(end - at);
        at++;
        return line;
    }

    private int unsigned16() {
        at += 2;
        return in[at - 2] & 0xFF | (in[at - 1] & 0xFF) << 8;
    }

    private int int32() {
        return unsigned16() | unsigned16() << 16;
    }

    private long int64() {
        return int32() & 0xFFFFFFFFL | (long) int32() << 32;
    }

    private void mark() {
        if (openMarks >= MAX_MARKS) {
            throw error(openMarks + " open marks", "at most " + MAX_MARKS + ", values are not nested deeper");
        }
        marks[openMarks++] = height;
        push(MARKER);
    }

    private void push(Object value) {
        if (--valuesLeft < 0) {
            budget.charge(name, "values", CHARGED_AT_ONCE, ReadBudget.VALUE_BYTES);
            valuesLeft = CHARGED_AT_ONCE - 1;
        }
        if (height == stack.length) {
            stack = Arrays.copyOf(stack, 2 * height);
        }
        stack[height++] = value;
    }

    private Object pop() {
        Object value = peek();
        stack[--height] = null;
        return value;
    }

    private Object peek() {
        if (height == 0) {
            throw error("takes a value from the empty stack", "a value there");
        }
        Object value = stack[height - 1];
        if (value == MARKER) {
            throw error("takes a mark for a value", "a value there");
        }
        return value;
    }

    private List<Object> take(int count) {
        int from = height - count;
        if (from < 0 || openMarks > 0 && marks[openMarks - 1] >= from) {
            throw error("takes " + count + " values", "that many on the stack");
        }
        return cut(from, from);
    }

    private List<Object> takeToMark() {
        if (openMarks == 0) {
            throw error("takes values up to a mark", "a mark on the stack");
        }
        int mark = marks[--openMarks];
        return cut(mark, mark + 1);
    }

    /** Takes the values from one on off a stack that goes down to another. */
    private List<Object> cut(int down, int from) {
        Object[] items = Arrays.copyOfRange(stack, from, height);
        while (height > down) {
            stack[--height] = null;
        }
        return Arrays.asList(items);
    }

    private void append(List<Object> items) {
        if (!(peek() instanceof PickledList list)) {
            throw error("appends to " + describe(peek()), "a list");
        }
        list.items().addAll(items);
    }

    private void setItems(List<Object> items) {
        if (!(peek() instanceof PickledDict dict) || items.size() % 2 != 0) {
            throw error("sets " + items.size() + " items of " + describe(peek()), "keys and values of a dictionary");
        }
        for (int i = 0; i < items.size(); i += 2) {
            dict.put(items.get(i), items.get(i + 1));
        }
    }

    private Object global(String module, String global) {
        Object value = KnownGlobals.resolve(new PickleGlobal(module, global));
        if (value == null && namesOthers) {
            return new PickledObject(module + "." + global);
        }
        if (value == null) {
            throw error(
                    "global \"" + Strings.shown(module + "." + global) + "\"",
                    "a class under __torch__ or one of " + KnownGlobals.names()
                            + "; nothing else is rebuilt, and no code is run");
        }
        return value;
    }

    private void newObject(List<Object> classAndArguments) {
        if (isOther(classAndArguments.get(0))) {
            push(called(classAndArguments));
            return;
        }
        if (!(classAndArguments.get(0) instanceof PickleGlobal type)
                || !type.isScriptClass()
                || !(classAndArguments.get(1) instanceof ScriptTuple arguments)
                || arguments.size() != 0) {
            throw error(
                    "makes an object of " + describe(classAndArguments.get(0)),
                    "a class under __torch__, without arguments");
        }
        push(new PickledObject(type.qualifiedName()));
    }

    private void reduce(List<Object> callAndArguments) {
        if (isOther(callAndArguments.get(0))) {
            push(called(callAndArguments));
            return;
        }
        if (!(callAndArguments.get(0) instanceof PickleGlobal global)) {
            throw error("calls " + describe(callAndArguments.get(0)), "a global");
        }
        Object argument = callAndArguments.get(1);
        if (global.isScriptClass()) {
            Object value = argument instanceof ScriptTuple tuple && tuple.size() == 1 ? tuple.get(0) : argument;
            if (!(value instanceof Long || value instanceof Double || value instanceof String)) {
                throw error(
                        "makes a member of enum " + Strings.shown(global.qualifiedName()) + " of " + describe(value),
                        "an int, float or str");
            }
            push(new PickledEnum(global.qualifiedName(), value));
            return;
        }
        if (!(argument instanceof ScriptTuple arguments)) {
            throw error("calls " + global + " with " + describe(argument), "a tuple of arguments");
        }
        try {
            push(KnownGlobals.rebuild(global, arguments.items()));
        } catch (IllegalArgumentException | ArithmeticException | ClassCastException e) {
            throw new ArchiveException(name + ": " + global + " at byte " + at + ": " + e.getMessage(), e);
        }
    }

    /** Whether a value stands for a global that is not known. */
    private boolean isOther(Object value) {
        return namesOthers && value instanceof PickledObject;
    }

    private static PickledObject called(List<Object> callAndArguments) {
        return new PickledObject(((PickledObject) callAndArguments.get(0)).className(), callAndArguments.get(1));
    }

    private void build(Object state) {
        if (!(peek() instanceof PickledObject object) || object.hasState() && !namesOthers) {
            throw error("gives a state to " + describe(peek()), "an object without one");
        }
        object.setState(state);
    }

    private Object storage(Object id) {
        if (!(id instanceof ScriptTuple t)
                || t.size() < 5
                || !"storage".equals(t.get(0))
                || !(t.get(1) instanceof DType dtype)
                || !(t.get(2) instanceof String key)
                || !(t.get(4) instanceof Long length)) {
            throw error("persistent id " + describe(id), "('storage', type, key, device, length)");
        }
        return storages.load(dtype, key, length);
    }

    private void put(int index) {
        if (index == memo.size()) {
            memo.add(peek());
            otherMemo.remove(index);
        } else if (index >= 0 && index < memo.size()) {
            memo.set(index, peek());
        } else {
            otherMemo.put(index, peek());
        }
    }

    private void get(int index) {
        if (index >= 0 && index < memo.size()) {
            push(memo.get(index));
        } else if (otherMemo.containsKey(index)) {
            push(otherMemo.get(index));
        } else {
            throw error("memo entry " + Integer.toUnsignedString(index), "one of the " + memoSize() + " stored before");
        }
    }

    private int memoSize() {
        return memo.size() + otherMemo.size();
    }

    private String string(Object value) {
        if (value instanceof String s) {
            return s;
        }
        throw error("global named by " + describe(value), "two strings");
    }

    private static String describe(Object value) {
        if (value == null) {
            return "None";
        }
        return value instanceof PickleGlobal g
                ? "global " + Strings.shown(g.toString())
                : value.getClass().getSimpleName();
    }

    private ArchiveException error(String found, String expected) {
        return new ArchiveException(name + ": " + found + " at byte " + at + " (expected: " + expected + ")");
    }
}
