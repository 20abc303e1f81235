package org.torchnnapi.cli.io;

import org.torchnnapi.converter.input.InputSpec;

/** Inputs described in words, as {@link InputSpec#parse} takes them. */
public final class InputText {
    private InputText() {}

    /**
     * Whether the text describes one tensor, rightly or not, and not another value, as a number alone and an empty list
     * are.
     */
    public static boolean isPlain(String text) {
        String plain = text.replace(" ", "");
        if (plain.matches("-?[0-9]+|\\[]")) {
            return false;
        }
        return InputSpec.isText(plain)
                || !plain.matches("(?s)[\\[({\"].*|tensor\\(.*|None|True|False|.*\\.(npy|jpe?g|png)");
    }

    /** @throws CommandFailure if the text is of another form */
    public static InputSpec parse(String text) {
        try {
            return InputSpec.parse(text);
        } catch (IllegalArgumentException e) {
            throw new CommandFailure(e.getMessage(), e);
        }
    }
}
