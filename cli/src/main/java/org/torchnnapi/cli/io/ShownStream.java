package org.torchnnapi.cli.io;

import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UnsupportedEncodingException;

/**
 * Prints {@link ShownText}. Bytes pass as they are: with them come the colours of help, and lines that are rewritten.
 */
public final class ShownStream extends PrintStream {
    /**
     * @param target what is printed arrives there at once
     * @param encoding a charset's name
     */
    public ShownStream(OutputStream target, String encoding) throws UnsupportedEncodingException {
        super(target, true, encoding);
    }

    @Override
    public void print(char c) {
        super.print(ShownText.of(String.valueOf(c)));
    }

    @Override
    public void print(char[] text) {
        super.print(ShownText.of(String.valueOf(text)));
    }

    @Override
    public void print(String text) {
        super.print(ShownText.of(String.valueOf(text)));
    }

    @Override
    public void print(Object value) {
        super.print(ShownText.of(String.valueOf(value)));
    }
}
