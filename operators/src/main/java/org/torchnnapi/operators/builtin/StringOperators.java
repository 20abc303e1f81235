package org.torchnnapi.operators.builtin;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import org.torchnnapi.operators.OperatorFamily;
import org.torchnnapi.tensor.platform.Streams;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.value.ScriptList;
import org.torchnnapi.torchscript.value.ScriptTuple;

/**
 * Methods of {@code str}, on its bytes ({@link ByteText}); letters are those of ASCII. Where TorchScript differs from
 * Python, it is TorchScript that is followed: {@code zfill} knows no sign, {@code splitlines} no pair of carriage
 * return and line feed and ends are lines of their own where they are kept, {@code isidentifier} knows no underscore,
 * {@code split} at white space no limit, and {@code count} counts what begins before the end.
 */
public final class StringOperators implements OperatorFamily {
    private static final int MAX_LENGTH = 1 << 26;
    private static final String BLANKS = " \n\t\f\u000b";
    /** The last ones are the bytes of U+2028 and U+2029, each of which ends a line in PyTorch. */
    private static final String LINE_ENDS = "\n\r\u000b\f\u001c\u001d\u001e\u0085\u00e2\u0080\u00a8\u00a9";

    @Override
    public void register(Registrar r) {
        Registrar bytes = ByteText.operators(r);
        basics(bytes);
        searches(bytes);
        tests(bytes);
        splits(bytes);
        changes(bytes);
        r.op("aten::format(str self, ...) -> str", in -> Text.format((String) in[0], rest(in)));
        r.op("aten::percentFormat(str self, ...) -> str", in -> {
            List<Object> values = rest(in);
            return Text.percentFormat(
                    (String) in[0],
                    values.size() == 1 && values.get(0) instanceof ScriptTuple tuple ? tuple.items() : values);
        });
    }

    private static List<Object> rest(Object[] in) {
        return Arrays.asList(in).subList(1, in.length);
    }

    private static void basics(Registrar r) {
        r.op("aten::len.str(str s) -> int", in -> (long) ((String) in[0]).length());
        r.op("aten::__getitem__.str(str s, int index) -> str", in -> letter(in));
        r.op("prim::StringIndex(str string, int index) -> str", in -> letter(in));
        r.op("aten::slice.str(str string, int? start=None, int? end=None, int step=1) -> str", in -> {
            String text = (String) in[0];
            StringBuilder out = new StringBuilder();
            PythonIndexing.slice(text.length(), in[1], in[2], (Long) in[3]).forEach(i -> out.append(text.charAt(i)));
            return out.toString();
        });
        r.op(
                "aten::add.str(str a, str b) -> str",
                in -> bounded(
                        (long) ((String) in[0]).length() + ((String) in[1]).length(), () -> (String) in[0] + in[1]));
        r.op("aten::mul.str_int(str a, int b) -> str", in -> {
            int times = (int) Math.max(0, Math.min(Integer.MAX_VALUE, (Long) in[1]));
            return bounded((long) ((String) in[0]).length() * times, () -> Strings.repeat((String) in[0], times));
        });
        r.op(
                "aten::list(str t) -> str[]",
                in -> strings(((String) in[0])
                        .chars()
                        .mapToObj(c -> String.valueOf((char) c))
                        .collect(Streams.toList())));
        r.op(
                "aten::join(str self, str[] values) -> str",
                in -> ((ScriptList) in[1])
                        .items().stream().map(item -> (String) item).collect(Collectors.joining((String) in[0])));
    }

    private static String letter(Object[] in) {
        String text = (String) in[0];
        return String.valueOf(text.charAt(PythonIndexing.checked((Long) in[1], text.length(), "string")));
    }

    private static String bounded(long length, Supplier<String> text) {
        requireLength(length);
        return text.get();
    }

    /** A loop in a hostile file must not fill the memory with text. */
    private static void requireLength(long length) {
        if (length > MAX_LENGTH) {
            throw new IllegalArgumentException("string length: " + length + " (expected: at most " + MAX_LENGTH + ")");
        }
    }

    /** The part of a string that a search with start and end looks at; an end of -1 is the string's end. */
    private record Window(String text, int start) {
        static Window of(String text, long start, long end) {
            int size = text.length();
            long from = start < 0 ? Math.max(0, size + start) : start;
            long to = Math.min(size, end < 0 ? Math.max(0, size + end + 1) : end);
            return from > to ? null : new Window(text.substring((int) from, (int) to), (int) from);
        }

        static Window of(Object[] in) {
            return of((String) in[0], (Long) in[2], (Long) in[3]);
        }
    }

    private static void searches(Registrar r) {
        String window = "(str self, str substr, int start=0, int end=-1) -> ";
        r.op("aten::find" + window + "int", in -> find(in, false));
        r.op("aten::rfind" + window + "int", in -> find(in, true));
        r.op("aten::index.str" + window + "int", in -> found(find(in, false)));
        r.op("aten::rindex" + window + "int", in -> found(find(in, true)));
        r.op("aten::count" + window + "int", in -> {
            Window w = Window.of(in);
            String text = (String) in[0];
            String wanted = (String) in[1];
            if (w == null) {
                return 0L;
            }
            if (wanted.isEmpty()) {
                return w.text().length() + 1L;
            }
            int end = w.start() + w.text().length();
            long count = 0;
            for (int at = text.indexOf(wanted, w.start());
                    at >= 0 && at < end;
                    at = text.indexOf(wanted, at + wanted.length())) {
                count++;
            }
            return count;
        });
        r.op(
                "aten::startswith" + window + "bool",
                in -> Window.of(in) != null && Window.of(in).text().startsWith((String) in[1]));
        r.op(
                "aten::endswith" + window + "bool",
                in -> Window.of(in) != null && Window.of(in).text().endsWith((String) in[1]));
    }

    private static long find(Object[] in, boolean last) {
        Window w = Window.of(in);
        int at = w == null
                ? -1
                : last ? w.text().lastIndexOf((String) in[1]) : w.text().indexOf((String) in[1]);
        return at < 0 ? -1 : (long) at + w.start();
    }

    private static Object found(long index) {
        if (index < 0) {
            throw new IllegalArgumentException("ValueError: substring not found");
        }
        return index;
    }

    private static void tests(Registrar r) {
        all(r, "isdigit", c -> c >= '0' && c <= '9', true);
        all(r, "isdecimal", c -> c >= '0' && c <= '9', true);
        all(r, "isnumeric", c -> c >= '0' && c <= '9', true);
        all(r, "isalpha", StringOperators::isLetter, true);
        all(r, "isalnum", c -> isLetter(c) || c >= '0' && c <= '9', true);
        all(r, "isspace", c -> c == ' ' || c >= 9 && c <= 13, true);
        all(r, "isprintable", c -> c >= 32 && c < 127, false);
        r.op(
                "aten::isupper(str self) -> bool",
                in -> cased((String) in[0], c -> c >= 'A' && c <= 'Z', c -> c >= 'a' && c <= 'z'));
        r.op(
                "aten::islower(str self) -> bool",
                in -> cased((String) in[0], c -> c >= 'a' && c <= 'z', c -> c >= 'A' && c <= 'Z'));
        r.op("aten::isidentifier(str self) -> bool", in -> ((String) in[0]).matches("[A-Za-z][A-Za-z0-9]*"));
        r.op(
                "aten::istitle(str self) -> bool",
                in -> ((String) in[0]).chars().anyMatch(StringOperators::isLetter)
                        && title((String) in[0]).equals(in[0]));
    }

    private static boolean isLetter(int c) {
        return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
    }

    private static void all(Registrar r, String name, IntPredicate test, boolean notEmpty) {
        r.op(
                "aten::" + name + "(str self) -> bool",
                in -> (!notEmpty || !((String) in[0]).isEmpty())
                        && ((String) in[0]).chars().allMatch(test));
    }

    private static boolean cased(String text, IntPredicate wanted, IntPredicate other) {
        return text.chars().anyMatch(wanted) && text.chars().noneMatch(other);
    }

    private static void splits(Registrar r) {
        r.op(
                "aten::split.str(str self, str? separator=None, int max=-1) -> str[]",
                in -> strings(split((String) in[0], (String) in[1], (Long) in[2], false)));
        r.op(
                "aten::rsplit(str self, str separator=\" \", int max=-1) -> str[]",
                in -> strings(split((String) in[0], (String) in[1], (Long) in[2], true)));
        r.op(
                "aten::splitlines(str self, bool keepends=False) -> str[]",
                in -> strings(lines((String) in[0], (Boolean) in[1])));
        r.op("aten::partition(str self, str separator) -> (str, str, str)", in -> {
            String text = (String) in[0];
            int at = text.indexOf((String) in[1]);
            return at < 0
                    ? new Object[] {text, "", ""}
                    : new Object[] {text.substring(0, at), in[1], text.substring(at + ((String) in[1]).length())};
        });
        r.op("aten::rpartition(str self, str separator) -> (str, str, str)", in -> {
            String text = (String) in[0];
            int at = text.lastIndexOf((String) in[1]);
            return at < 0
                    ? new Object[] {"", "", text}
                    : new Object[] {text.substring(0, at), in[1], text.substring(at + ((String) in[1]).length())};
        });
    }

    private static List<String> split(String text, String separator, long max, boolean fromEnd) {
        if (separator != null && separator.isEmpty()) {
            throw new IllegalArgumentException("ValueError: empty separator");
        }
        List<String> parts = new ArrayList<>();
        if (separator == null) {
            int from = 0;
            for (int at = 0; at <= text.length(); at++) {
                if (at == text.length()
                        || text.charAt(at) == ' '
                        || text.charAt(at) == '\t'
                        || LINE_ENDS.indexOf(text.charAt(at)) >= 0) {
                    if (at > from) {
                        parts.add(text.substring(from, at));
                    }
                    from = at + 1;
                }
            }
            return parts;
        }
        String rest = text;
        int at = fromEnd ? rest.lastIndexOf(separator) : rest.indexOf(separator);
        while (at >= 0 && (max < 0 || parts.size() < max)) {
            if (fromEnd) {
                parts.add(0, rest.substring(at + separator.length()));
                rest = rest.substring(0, at);
                at = rest.lastIndexOf(separator);
            } else {
                parts.add(rest.substring(0, at));
                rest = rest.substring(at + separator.length());
                at = rest.indexOf(separator);
            }
        }
        parts.add(fromEnd ? 0 : parts.size(), rest);
        return parts;
    }

    private static List<String> lines(String text, boolean keepEnds) {
        List<String> lines = new ArrayList<>();
        int from = 0;
        while (from < text.length()) {
            int end = from;
            while (end < text.length() && LINE_ENDS.indexOf(text.charAt(end)) < 0) {
                end++;
            }
            lines.add(text.substring(from, end));
            if (keepEnds && end < text.length()) {
                lines.add(text.substring(end, end + 1));
            }
            from = end + 1;
        }
        return lines;
    }

    private static ScriptList strings(List<String> values) {
        return new ScriptList(Type.Basic.STRING, values);
    }

    private static void changes(Registrar r) {
        change(r, "upper", text -> mapped(text, StringOperators::upper));
        change(r, "lower", text -> mapped(text, StringOperators::lower));
        change(
                r,
                "capitalize",
                text -> text.isEmpty()
                        ? text
                        : upper(text.charAt(0)) + mapped(text.substring(1), StringOperators::lower));
        change(r, "title", StringOperators::title);
        change(r, "swapcase", text -> mapped(text, c -> upper(c) == c ? lower(c) : upper(c)));
        r.op(
                "aten::strip(str self, str chars=\"" + BLANKS + "\") -> str",
                in -> strip((String) in[0], (String) in[1], true, true));
        r.op(
                "aten::lstrip(str self, str chars=\"" + BLANKS + "\") -> str",
                in -> strip((String) in[0], (String) in[1], true, false));
        r.op(
                "aten::rstrip(str self, str chars=\"" + BLANKS + "\") -> str",
                in -> strip((String) in[0], (String) in[1], false, true));
        r.op(
                "aten::replace(str self, str old, str new, int max=-1) -> str",
                in -> replace((String) in[0], (String) in[1], (String) in[2], (Long) in[3]));
        r.op("aten::zfill(str self, int width) -> str", in -> padding((String) in[0], in[1], '0') + in[0]);
        r.op(
                "aten::ljust(str self, int width, str fillchar=\" \") -> str",
                in -> in[0] + padding((String) in[0], in[1], fill(in[2])));
        r.op(
                "aten::rjust(str self, int width, str fillchar=\" \") -> str",
                in -> padding((String) in[0], in[1], fill(in[2])) + in[0]);
        r.op("aten::center(str self, int width, str fillchar=\" \") -> str", in -> {
            String padding = padding((String) in[0], in[1], fill(in[2]));
            // Of an odd number the left side has more where the width is odd, as in CPython.
            int left = padding.length() / 2 + (int) (padding.length() & (Long) in[1] & 1);
            return padding.substring(0, left) + in[0] + padding.substring(left);
        });
        r.op("aten::expandtabs(str self, int tabsize=8) -> str", in -> expandTabs((String) in[0], (Long) in[1]));
    }

    private static void change(Registrar r, String name, UnaryOperator<String> function) {
        r.op("aten::" + name + "(str self) -> str", in -> function.apply((String) in[0]));
    }

    private interface Letter {
        char apply(char c);
    }

    private static String mapped(String text, Letter function) {
        char[] letters = text.toCharArray();
        for (int i = 0; i < letters.length; i++) {
            letters[i] = function.apply(letters[i]);
        }
        return new String(letters);
    }

    private static char upper(char c) {
        return c >= 'a' && c <= 'z' ? (char) (c - 'a' + 'A') : c;
    }

    private static char lower(char c) {
        return c >= 'A' && c <= 'Z' ? (char) (c - 'A' + 'a') : c;
    }

    private static String title(String text) {
        StringBuilder out = new StringBuilder();
        boolean inWord = false;
        for (char c : text.toCharArray()) {
            out.append(!isLetter(c) ? c : inWord ? Character.toLowerCase(c) : Character.toUpperCase(c));
            inWord = isLetter(c);
        }
        return out.toString();
    }

    private static String strip(String text, String chars, boolean left, boolean right) {
        int from = 0;
        int to = text.length();
        while (left && from < to && chars.indexOf(text.charAt(from)) >= 0) {
            from++;
        }
        while (right && to > from && chars.indexOf(text.charAt(to - 1)) >= 0) {
            to--;
        }
        return text.substring(from, to);
    }

    private static String replace(String text, String old, String by, long max) {
        StringBuilder out = new StringBuilder();
        int from = 0;
        long count = 0;
        while (!old.isEmpty() && (max < 0 || count < max)) {
            int at = text.indexOf(old, from);
            if (at < 0) {
                break;
            }
            out.append(text, from, at).append(by);
            requireLength(out.length());
            from = at + old.length();
            count++;
        }
        return out.append(text, from, text.length()).toString();
    }

    private static char fill(Object text) {
        String fill = (String) text;
        if (fill.length() != 1) {
            throw new IllegalArgumentException("TypeError: The fill character must be exactly one character long");
        }
        return fill.charAt(0);
    }

    private static String padding(String text, Object width, char fill) {
        long missing = Math.max(0, (Long) width - text.length());
        return bounded(missing, () -> Strings.repeat(String.valueOf(fill), (int) missing));
    }

    private static String expandTabs(String text, long tabSize) {
        StringBuilder out = new StringBuilder();
        int column = 0;
        for (char c : text.toCharArray()) {
            if (c == '\t') {
                int blanks =
                        tabSize <= 0 ? 0 : (int) (Math.min(tabSize, 1 << 16) - column % Math.min(tabSize, 1 << 16));
                out.append(Strings.repeat(" ", blanks));
                requireLength(out.length());
                column += blanks;
            } else {
                out.append(c);
                column = c == '\n' || c == '\r' ? 0 : column + 1;
            }
        }
        return out.toString();
    }
}
