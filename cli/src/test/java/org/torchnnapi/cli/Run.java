package org.torchnnapi.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.UnsupportedEncodingException;
import java.nio.charset.StandardCharsets;
import org.torchnnapi.cli.io.ShownStream;
import picocli.CommandLine;

/** What a command line ended with and printed. */
record Run(int code, String out, String err) {
    static Run of(Object... words) {
        String[] args = new String[words.length];
        for (int i = 0; i < args.length; i++) {
            args[i] = words[i].toString();
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream standard = System.out;
        PrintStream standardErrors = System.err;
        try {
            System.setOut(new ShownStream(out, "UTF-8"));
            System.setErr(new PrintStream(err, true, "UTF-8"));
            CommandLine commandLine = Main.commandLine(args).setErr(new PrintWriter(System.err, true));
            int code = commandLine.execute(args);
            return new Run(code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
        } catch (UnsupportedEncodingException e) {
            throw new AssertionError(e);
        } finally {
            System.setOut(standard);
            System.setErr(standardErrors);
        }
    }
}
