package org.torchnnapi.exported;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.torchnnapi.torchscript.DeclaredInputs;
import org.torchnnapi.torchscript.ModuleSource;
import org.torchnnapi.torchscript.ir.ClassType;
import org.torchnnapi.torchscript.ir.Function;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.OperatorFacts;
import org.torchnnapi.torchscript.ir.Prim;
import org.torchnnapi.torchscript.ir.Value;
import org.torchnnapi.torchscript.value.ScriptObject;

/**
 * Makes one module of all programs of an archive: each is a module of its own in {@code programs}, with a method of its
 * name at the top, but for the one called {@code model}, which is {@code forward}.
 */
final class SeveralPrograms {
    private static final String DEFAULT = "model";
    private static final String HOME = "programs";

    private final ExportedArchive archive;
    private final OperatorFacts operators;
    private final ClassNames names;
    private final Set<String> usedMethods = new HashSet<>(Set.of(HOME));

    SeveralPrograms(ExportedArchive archive, OperatorFacts operators, ClassNames names) {
        this.archive = archive;
        this.operators = operators;
        this.names = names;
    }

    ModuleSource.Made make() {
        ScriptObject root = module();
        ScriptObject home = module();
        attach(root, HOME, home);
        Map<String, DeclaredInputs> inputs = new HashMap<>();
        List<String> programs = new ArrayList<>(archive.programs());
        if (programs.remove(DEFAULT)) {
            programs.add(0, DEFAULT);
        }
        for (String program : programs) {
            ModuleSource.Made made = new ProgramImporter(archive, program, operators, names).make();
            String method = unused(program.equals(DEFAULT) ? ProgramImporter.FORWARD : program);
            attach(home, method, made.object());
            root.type().addMethod(caller(root.type(), home.type(), method, made.object()));
            made.inputs().values().forEach(declared -> inputs.put(method, declared));
        }
        return new ModuleSource.Made(root, null, inputs);
    }

    private ScriptObject module() {
        return new ScriptObject(new ClassType(names.unused(ClassNames.MODULE), ClassType.Kind.MODULE));
    }

    private static void attach(ScriptObject owner, String name, ScriptObject part) {
        owner.type().addAttribute(new ClassType.Attribute(name, part.type(), false, false));
        owner.set(name, part);
    }

    private String unused(String program) {
        String plain = Names.identifier(program);
        String name = plain;
        for (int i = 0; !usedMethods.add(name); i++) {
            name = plain + "_" + i;
        }
        return name;
    }

    /** A method that calls a program with what it is given. */
    private Function caller(ClassType root, ClassType home, String method, ScriptObject program) {
        FunctionSchema called = program.type().method(ProgramImporter.FORWARD).schema();
        GraphEmitter emitter = new GraphEmitter(operators, archive.zip().budget());
        Value self = emitter.graph().addInput(root, "self");
        List<FunctionSchema.Argument> formals = new ArrayList<>(called.arguments());
        formals.set(0, FunctionSchema.Argument.of("self", root));
        List<Value> given = new ArrayList<>();
        given.add(emitter.attribute(emitter.attribute(self, HOME, home), method, program.type()));
        for (FunctionSchema.Argument formal : formals.subList(1, formals.size())) {
            given.add(emitter.graph().addInput(formal.type(), formal.name()));
        }
        Value result = emitter.node(Prim.CALL_METHOD, given)
                .attribute("name", ProgramImporter.FORWARD)
                .addOutput(called.returns().get(0).type());
        emitter.graph().block().addResult(result);
        FunctionSchema schema = new FunctionSchema(method, "", formals, called.returns(), false);
        return new Function(root.name() + "." + method, schema, emitter::graph);
    }
}
