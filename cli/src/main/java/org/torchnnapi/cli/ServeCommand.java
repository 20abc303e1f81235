package org.torchnnapi.cli;

import java.awt.Desktop;
import java.io.IOException;
import java.net.BindException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import org.torchnnapi.cli.io.CommandFailure;
import org.torchnnapi.cli.serve.CommandRunner;
import org.torchnnapi.cli.serve.Limits;
import org.torchnnapi.cli.serve.PageServer;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Opens a page on this machine that does what the commands do. */
@Command(
        name = "serve",
        header = "Opens a page on this machine to drop models on.",
        mixinStandardHelpOptions = true,
        description = "Opens a page in the browser of this machine, for whoever has no terminal: models are dropped on "
                + "it, looked at, run, converted, quantized, compared and downloaded. Nothing leaves the machine, and "
                + "what was dropped is removed at the end.",
        footer = {"", "Examples:", "  torch-nnapi serve", "  torch-nnapi serve net.pt --port 8080 --no-browser"})
final class ServeCommand implements Callable<Integer> {
    private static final int MOST_PORT = 65_535;
    private static final int MOST_MIB = 1 << 20;

    @Parameters(
            index = "0",
            arity = "0..1",
            paramLabel = "MODEL",
            description = "A .pt2, .pt or .ptl file to begin with.")
    private Path file;

    @Option(
            names = "--port",
            paramLabel = "N",
            defaultValue = "0",
            description = "Port of 127.0.0.1. Default: any that is free.")
    private int port;

    @Option(
            names = "--browser",
            negatable = true,
            fallbackValue = "true",
            defaultValue = "true",
            description = "Opens the page in the browser; with --no-browser the address is only printed.")
    private boolean browser;

    @Option(
            names = "--upload-limit",
            paramLabel = "MIB",
            defaultValue = "1024",
            description = "Size of a dropped file at most; eight times that of all files. Default: ${DEFAULT-VALUE}.")
    private int uploadLimit;

    @Option(
            names = "--job-limit",
            paramLabel = "SECONDS",
            defaultValue = "600",
            description = "How long a conversion or whatever else is asked for may take. Default: ${DEFAULT-VALUE}.")
    private int jobLimit;

    @Override
    public Integer call() throws IOException {
        require("port", port, 0, MOST_PORT);
        require("upload-limit", uploadLimit, 1, MOST_MIB);
        require("job-limit", jobLimit, 1, Integer.MAX_VALUE);
        try (PageServer server = start()) {
            // The process may be told to end while it waits.
            Runtime.getRuntime().addShutdownHook(new Thread(() -> close(server), "removal"));
            if (file != null) {
                server.take(file);
            }
            System.out.println("page: " + server.address());
            System.out.println("for this machine alone; Ctrl-C, or End on the page, ends it");
            if (browser) {
                open(server.address());
            }
            server.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return 0;
    }

    private PageServer start() throws IOException {
        try {
            return new PageServer(port, Limits.of((long) uploadLimit << 20, Duration.ofSeconds(jobLimit)), commands());
        } catch (BindException e) {
            throw new CommandFailure("port: " + port + " cannot be had (expected: one that is free, or none)", e);
        }
    }

    /** The commands as they are called here. */
    static CommandRunner commands() {
        return new CommandRunner() {
            @Override
            public CommandSpec declared(String command) {
                return Main.commandLine(command).getSubcommands().get(command).getCommandSpec();
            }

            @Override
            public int run(String... words) {
                return Commands.run(() -> Main.commandLine(words), words);
            }

            @Override
            public long stackBytes() {
                return Commands.STACK_BYTES;
            }
        };
    }

    private static void require(String name, int value, int least, int most) {
        if (value < least || value > most) {
            throw new CommandFailure(name + ": " + value + " (expected: from " + least + " to " + most + ")");
        }
    }

    private static void close(PageServer server) {
        try {
            server.close();
        } catch (IOException e) {
            // The process ends.
        }
    }

    /** Who has no desktop finds the address on standard output. */
    private static void open(String address) {
        try {
            if (Desktop.isDesktopSupported() && Desktop.getDesktop().isSupported(Desktop.Action.BROWSE)) {
                Desktop.getDesktop().browse(URI.create(address));
            }
        } catch (IOException | UnsupportedOperationException e) {
            System.err.println("browser: " + e.getMessage() + " (expected: one that opens; copy the address into it)");
        }
    }
}
