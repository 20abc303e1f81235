package org.torchnnapi.cli;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import picocli.CommandLine;

/** What a command line ended with and printed. */
record Run(int code, String out, String err) {
    static Run of(Object... words) {
        String[] args = new String[words.length];
        for (int i = 0; i < args.length; i++) {
            args[i] = words[i].toString();
        }
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        StringWriter err = new StringWriter();
        PrintStream standard = System.out;
        System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
        try {
            CommandLine commandLine = Main.commandLine(args).setErr(new PrintWriter(err, true));
            int code = commandLine.execute(args);
            return new Run(code, out.toString(StandardCharsets.UTF_8), err.toString());
        } finally {
            System.setOut(standard);
        }
    }
}
