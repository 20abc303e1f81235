package org.torchnnapi.operators;

import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import org.torchnnapi.tensor.platform.Strings;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.SchemaParser;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.source.CodeArchive;
import org.torchnnapi.torchscript.source.CodeLoader;

/**
 * An operator that is said in others: the body of a function in TorchScript, as archives write it, whose parameters are
 * the operator's arguments. It is compiled when it is first asked for. Safe for use by several threads.
 */
public final class Composite implements OperatorKernel {
    private static final String PACKAGE = "__torch__.operators";

    private final String schemaText;
    private final String body;
    private final OperatorKernel plain;
    private volatile Function function;

    /**
     * @param schema as PyTorch writes it
     * @param body statements, the last of which returns; results of operators with several are returned as a tuple
     * @param plain computes the same without the detour, or null
     */
    public Composite(String schema, String body, OperatorKernel plain) {
        this.schemaText = schema;
        this.body = body;
        this.plain = plain;
    }

    /** What the operator is made of: a function of its arguments, whose graph is shared and not to be changed. */
    public Function function() {
        Function known = function;
        if (known == null) {
            FunctionSchema schema = SchemaParser.parse(schemaText);
            String name = "composite_" + schema.fullName().replaceAll("[^A-Za-z0-9_]+", "_");
            String source = source(schema, name);
            known = new CodeLoader(
                            new CodeArchive() {
                                @Override
                                public String source(String entry) {
                                    return entry.equals("code/__torch__/operators.py") ? source : null;
                                }

                                @Override
                                public Object constant(int index) {
                                    throw new IllegalArgumentException("constant: " + index + " (expected: none)");
                                }
                            },
                            OperatorRegistry.withBuiltins())
                    .function(PACKAGE + "." + name);
            function = known;
        }
        return known;
    }

    /** Whether there is an implementation beside what it is made of. */
    boolean hasPlain() {
        return plain != null;
    }

    private String source(FunctionSchema schema, String name) {
        String parameters = schema.arguments().stream()
                .map(a -> parameter(a.name()) + ": " + annotation(a.type()))
                .collect(Collectors.joining(", "));
        List<String> returns = new ArrayList<>();
        schema.returns().forEach(r -> returns.add(annotation(r.type())));
        String result = returns.size() == 1
                ? returns.get(0)
                : returns.isEmpty() ? "NoneType" : "Tuple[" + String.join(", ", returns) + "]";
        return "def " + name + "(" + parameters + ") -> " + result + ":\n" + Strings.indent(Strings.strip(body), 2);
    }

    /** Words of the language get an underscore behind them. */
    private static String parameter(String name) {
        return switch (name) {
            case "from", "in", "inf", "is", "lambda", "nan" -> name + "_";
            default -> name;
        };
    }

    private static String annotation(Type type) {
        return type == Type.Basic.NUMBER
                ? "number"
                : type instanceof Type.OptionalType optional
                        ? "Optional[" + annotation(optional.element()) + "]"
                        : type instanceof Type.ListType list ? "List[" + annotation(list.element()) + "]" : type.text();
    }

    @Override
    public Object call(Object[] args) {
        return plain != null ? plain.call(args) : GraphEvaluator.call(function(), args);
    }
}
