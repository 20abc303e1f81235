package org.torchnnapi.cli.io;

import java.util.ArrayList;
import java.util.List;
import org.torchnnapi.tensor.Tensor;
import org.torchnnapi.tensor.platform.Strings;

/** The elements of a tensor as PyTorch prints them: {@code [[0.5, 1.5], [2, 3]]}; whole numbers alone are int64. */
final class TensorLiteral {
    /** What a tensor begins with among other values. */
    static final String START = "tensor(";

    private static final int MAX_RANK = 16;

    private final String text;
    private final List<String> numbers = new ArrayList<>();
    private int at;

    private TensorLiteral(String text) {
        this.text = text;
    }

    /**
     * Reads float32 or int64 elements.
     *
     * @throws CommandFailure if the text is of another form, or rows differ in length
     */
    static Tensor parse(String text) {
        TensorLiteral parser = new TensorLiteral(text);
        int[] sizes = parser.sizes(0).stream().mapToInt(Integer::intValue).toArray();
        parser.skip();
        if (parser.at < text.length()) {
            throw parser.unexpected("the end");
        }
        return parser.tensor(sizes);
    }

    private List<Integer> sizes(int depth) {
        if (depth > MAX_RANK) {
            throw unexpected("at most " + MAX_RANK + " dimensions");
        }
        if (!take('[')) {
            numbers.add(number());
            return new ArrayList<>();
        }
        List<Integer> row = null;
        int rows = 0;
        while (!take(']')) {
            if (rows > 0 && !take(',')) {
                throw unexpected("a comma or ]");
            }
            List<Integer> next = sizes(depth + 1);
            if (row != null && !row.equals(next)) {
                throw unexpected("rows of one length");
            }
            row = next;
            rows++;
        }
        List<Integer> sizes = row == null ? new ArrayList<>() : row;
        sizes.add(0, rows);
        return sizes;
    }

    private String number() {
        skip();
        int start = at;
        while (at < text.length() && ",[]".indexOf(text.charAt(at)) < 0) {
            at++;
        }
        String word = Strings.strip(text.substring(start, at));
        if (!word.matches("[-+]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?|nan|[-+]?inf")) {
            at = start;
            throw unexpected("a number");
        }
        return word;
    }

    private Tensor tensor(int[] sizes) {
        if (!numbers.isEmpty() && numbers.stream().allMatch(number -> number.matches("[-+]?[0-9]+"))) {
            try {
                return Tensor.of(numbers.stream().mapToLong(Long::parseLong).toArray(), sizes);
            } catch (NumberFormatException e) {
                throw new CommandFailure("input: tensor(" + text + ") (expected: whole numbers of 64 bits)", e);
            }
        }
        float[] elements = new float[numbers.size()];
        for (int i = 0; i < elements.length; i++) {
            elements[i] =
                    Float.parseFloat(numbers.get(i).replace("inf", "Infinity").replace("nan", "NaN"));
        }
        return Tensor.of(elements, sizes);
    }

    private void skip() {
        while (at < text.length() && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
    }

    private boolean take(char c) {
        skip();
        boolean is = at < text.length() && text.charAt(at) == c;
        at += is ? 1 : 0;
        return is;
    }

    private CommandFailure unexpected(String expected) {
        return new CommandFailure("input: tensor(" + text + ") at character " + (at + 1)
                + " of its elements (expected: " + expected + "; such as tensor([[0.5, 1.5]]))");
    }
}
