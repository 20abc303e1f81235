package org.torchnnapi.testkit.captured;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.torchnnapi.engine.EngineOptions;
import org.torchnnapi.engine.Runtimes;
import org.torchnnapi.execution.ScriptModule;
import org.torchnnapi.execution.ScriptRuntime;
import org.torchnnapi.operators.Operator;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.ModuleWriter;
import org.torchnnapi.torchscript.archive.TorchScriptArchive;
import org.torchnnapi.torchscript.bytecode.LiteTarget;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.value.ScriptException;

/**
 * Runs captured modules as often as genuine PyTorch did, one call after the other on one instance, and prints each that
 * answers otherwise with what was expected and what came, and in the end {@code N passed, N failed, N skipped}.
 */
public final class CapturedConformance {
    private static final int MAX_DETAIL = 600;
    /** Errors of PyTorch's own Python binding and lite loader, by a part of their text. */
    private static final Map<String, String> BINDING = Map.ofEntries(
            Map.entry(
                    "Tracer cannot infer type of",
                    "PyTorch's binding for lite modules takes no empty or mixed containers"),
            Map.entry("INTERNAL ASSERT FAILED", "PyTorch broke a rule of its own"),
            Map.entry("Unknown reference to ScriptClass", "PyTorch cannot hand the result to Python"),
            Map.entry("'utf-8' codec can't decode", "PyTorch makes no text for Python of bytes out of a character"),
            Map.entry("basic_string::_M_create", "PyTorch's lite module lost the names of a named tuple's fields"),
            Map.entry("std::bad_alloc", "PyTorch's lite module lost the names of a named tuple's fields"),
            Map.entry("Dynamic<", "PyTorch's lite types do not know unions and named tuples"),
            Map.entry("NotImplementedError: ", "PyTorch's binding does not call this method"));

    private final ScriptRuntime runtime;
    private final boolean lite;
    private Path written;
    private int step = 1;

    /**
     * @param options how the modules are run
     * @param lite whether to run the forms for the lite interpreter
     */
    public CapturedConformance(EngineOptions options, boolean lite) {
        ScriptRuntime standard = Runtimes.standard(options);
        this.runtime = options.specialise() ? standard : standard.interpreting();
        this.lite = lite;
    }

    /**
     * Writes each module anew, as source or as byte code, and runs what was written in place of the original.
     *
     * @param folder for the files, which have the paths of the originals
     */
    public CapturedConformance writeTo(Path folder) {
        written = folder;
        return this;
    }

    /** Leaves out cases: of so many that follow each other only the first is run. */
    public CapturedConformance everyOneOf(int count) {
        if (count < 1) {
            throw new IllegalArgumentException("every: " + count + " (expected: >= 1)");
        }
        step = count;
        return this;
    }

    /**
     * @param folder with files {@code KEY.json}, {@code KEY.pt}, {@code KEY.args} and so on, at any depth
     * @param filter only cases whose path or test contains this text; "" for all
     * @param verbose also print skipped cases with their reasons, and passed ones
     * @return the number of failed cases
     * @throws IllegalArgumentException if there is no such folder, or no case matches
     */
    public int run(Path folder, String filter, boolean verbose, PrintStream out) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new IllegalArgumentException("folder: " + folder + " (expected: a folder of captured modules)");
        }
        List<CapturedCase> cases = CapturedCase.all(folder, filter);
        if (cases.isEmpty()) {
            throw new IllegalArgumentException("cases: none in " + folder + " with \"" + filter
                    + "\" in the path or test (expected: at least one)");
        }
        int passed = 0;
        int failed = 0;
        int seen = 0;
        for (int i = 0; i < cases.size(); i += step) {
            seen++;
            CapturedCase test = cases.get(i);
            Path file = test.file(lite ? ".ptl" : ".pt");
            String skipped =
                    Files.exists(file) ? unjudgeable(answers(test)) : "there is no such file: PyTorch cannot write it";
            String wrong = null;
            if (written != null && Files.exists(file) && loads(answers(test))) {
                file = written.resolve(folder.relativize(file));
                wrong = write(test, file);
            }
            if (wrong == null && skipped == null) {
                wrong = judge(test, file);
            }
            if (wrong != null) {
                failed++;
                out.println("FAILED " + test.name(folder) + ": " + Strings.oneLine(wrong, MAX_DETAIL));
            } else if (verbose) {
                out.println(
                        skipped == null
                                ? "PASSED " + test.name(folder)
                                : "SKIPPED " + test.name(folder) + ": " + skipped);
            }
            passed += skipped == null && wrong == null ? 1 : 0;
        }
        out.println(passed + " passed, " + failed + " failed, " + (seen - passed - failed) + " skipped");
        return failed;
    }

    /**
     * What genuine PyTorch answered; where its call from Python failed beside a lite module's program, what the same
     * program answered as source, if that did better.
     */
    private List<CapturedCase.Answer> answers(CapturedCase test) throws IOException {
        if (!lite) {
            return test.answers(".out");
        }
        List<CapturedCase.Answer> own = test.answers(".lout");
        if (written != null && own.stream().anyMatch(answer -> answer.status() == 'e') && loads(own)) {
            // PyTorch's byte code lacks what is called by interface; ours has it.
            return test.answers(".out");
        }
        if (loads(own) && unjudgeable(own) != null) {
            List<CapturedCase.Answer> ofSource = test.answers(".out");
            // Byte code does not keep the types that a call from Python is refused by.
            boolean refused = ofSource.stream()
                    .anyMatch(answer -> answer.status() == 'e' && answer.error().contains("Declaration: "));
            return unjudgeable(ofSource) == null && !refused ? ofSource : own;
        }
        return own;
    }

    private static boolean loads(List<CapturedCase.Answer> answers) {
        return answers.stream().allMatch(answer -> answer.status() != 'l');
    }

    /** Why there is nothing to compare with in these answers, or null. */
    private static String unjudgeable(List<CapturedCase.Answer> answers) {
        if (!loads(answers)) {
            return "genuine PyTorch cannot load it";
        }
        for (CapturedCase.Answer answer : answers) {
            String failed = answer.status() == 'e' ? failureOfBinding(answer.error()) : null;
            if (failed != null) {
                return failed;
            }
        }
        return null;
    }

    /**
     * What went wrong beside the program, where genuine PyTorch's call from Python has no answer to compare with; null
     * if the program failed.
     */
    private static String failureOfBinding(String error) {
        for (Map.Entry<String, String> failure : BINDING.entrySet()) {
            if (error.contains(failure.getKey())) {
                return failure.getValue() + ": " + error;
            }
        }
        return null;
    }

    /** Writes a module that was loaded from its source; what is in the way, or null. */
    private String write(CapturedCase test, Path file) throws IOException {
        Files.createDirectories(file.getParent());
        try {
            ScriptModule module = ScriptModule.load(test.file(".pt"), runtime);
            // As when genuine PyTorch wrote its byte code.
            ModuleWriter writer = (lite ? module.eval() : module).moduleWriter();
            (lite ? writer.lite(LiteTarget.PYTORCH_1_13) : writer)
                    .archive("model")
                    .write(file);
            return null;
        } catch (RuntimeException e) {
            return "not written: " + e;
        }
    }

    /** What is wrong, or null. */
    private String judge(CapturedCase test, Path file) {
        try {
            TorchScriptArchive archive = TorchScriptArchive.open(file);
            ScriptModule module = ScriptModule.of(lite ? archive.forLite() : archive, runtime);
            if (!lite) {
                // As when genuine PyTorch answered.
                module.eval();
            }
            Function method = module.method(test.method());
            if (method == null) {
                return "method " + test.method() + " is missing";
            }
            List<CapturedCase.Answer> answers = answers(test);
            for (int i = 0; i < answers.size(); i++) {
                String wrong = check(module, test, answers.get(i), test.arguments(method.schema()), i);
                if (wrong != null) {
                    return wrong;
                }
            }
            return null;
        } catch (Exception | StackOverflowError | OutOfMemoryError e) {
            StackTraceElement[] trace = e.getStackTrace();
            return e + (trace.length == 0 ? "" : " at " + trace[0]);
        }
    }

    private String check(
            ScriptModule module, CapturedCase test, CapturedCase.Answer answer, List<Object> arguments, int seed) {
        for (Operator operator : runtime.operators().apply("aten::manual_seed")) {
            operator.kernel().call(new Object[] {(long) seed});
        }
        Object actual;
        try {
            actual = module.call(test.method(), arguments, Map.of());
        } catch (ScriptException | IllegalArgumentException e) {
            return answer.status() == 'e' ? null : "call " + seed + ": expected an answer, actual " + e.getMessage();
        }
        if (answer.status() == 'e') {
            return "call " + seed + ": expected error \"" + lastLine(answer.error()) + "\", actual " + actual;
        }
        return new CapturedComparison(test.random(), test.slack(), test.special())
                .compare(answer.value(), actual, "call " + seed);
    }

    /** The error itself, which in PyTorch's text comes behind the traceback. */
    private static String lastLine(String error) {
        String text = error.strip();
        return text.substring(text.lastIndexOf('\n') + 1);
    }
}
