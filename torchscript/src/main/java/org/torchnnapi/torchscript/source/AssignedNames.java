package org.torchnnapi.torchscript.source;

import java.util.List;
import java.util.Set;

/** Which variables statements may assign. */
final class AssignedNames {
    private AssignedNames() {}

    static void collect(List<Tree.Statement> statements, Set<String> names) {
        for (Tree.Statement statement : statements) {
            if (statement instanceof Tree.Assign assign) {
                for (Tree.Expression target : assign.targets()) {
                    if (target instanceof Tree.Name name) {
                        names.add(name.name());
                    }
                }
            } else if (statement instanceof Tree.If branch) {
                collect(branch.then(), names);
                collect(branch.otherwise(), names);
            } else if (statement instanceof Tree.For loop) {
                names.add(loop.variable());
                collect(loop.body(), names);
            } else if (statement instanceof Tree.While loop) {
                collect(loop.body(), names);
            } else if (statement instanceof Tree.With with) {
                if (with.variable() != null) {
                    names.add(with.variable());
                }
                collect(with.body(), names);
            }
        }
    }
}
