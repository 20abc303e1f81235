package org.torchnnapi.driver.cpu;

import java.util.List;
import org.torchnnapi.nnapi.driver.PreparedModel;
import org.torchnnapi.nnapi.model.Lifetime;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.Operand;

/** IF and WHILE whose models the device takes wholly; each is a stage of its own, see {@link ControlFlow}. */
final class ControlFlowKind implements StageKind {
    @Override
    public String typeRefusal(Site site) {
        for (int i = 0; i < site.inputs(); i++) {
            Operand operand = site.operand(i);
            if (operand.lifetime() == Lifetime.SUBGRAPH) {
                Model referenced = operand.referenced();
                List<String> refusals = new CpuDriver().supportedOperations(referenced);
                for (int j = 0; j < refusals.size(); j++) {
                    if (refusals.get(j) != null) {
                        return "operation " + j + " of model " + i + ", " + referenced.operations().get(j).type() + ": " + refusals.get(j);
                    }
                }
            }
        }
        return null;
    }

    @Override
    public boolean isOptional(int input) {
        return true;
    }

    @Override
    public boolean isSingle() {
        return false;
    }

    @Override
    public PreparedModel prepare(Model stage) {
        return new ControlFlow(stage);
    }
}
