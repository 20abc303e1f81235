package org.torchnnapi.driver.cpu;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.torchnnapi.nnapi.model.Model;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.Operation;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.model.ResultCode;

/** Turns operations into works; a float convolution without activation whose only use is an ADD of its shape takes that in. */
final class Fusion {
    private Fusion() {
    }

    static List<Work> works(Model model) {
        List<Operation> operations = model.operations();
        int[] uses = new int[model.operands().size()];
        int[] producer = new int[uses.length];
        Arrays.fill(producer, -1);
        for (int output : model.outputs()) {
            uses[output]++;
        }
        for (int i = 0; i < operations.size(); i++) {
            Operation operation = operations.get(i);
            for (int j = 0; j < operation.inputCount(); j++) {
                uses[operation.input(j)]++;
            }
            for (int j = 0; j < operation.outputCount(); j++) {
                producer[operation.output(j)] = i;
            }
        }
        Work[] works = new Work[operations.size()];
        for (int i = 0; i < works.length; i++) {
            Site site = new Site(model, operations.get(i));
            String refusal = Kinds.refusal(site);
            if (refusal != null) {
                throw new NnapiException(ResultCode.BAD_DATA, site.operation().type() + ": " + refusal);
            }
            works[i] = new Work(site, Kinds.of(site), null, -1);
            for (int side = 0; site.operation().type() == OperationType.ADD && side < 2; side++) {
                int from = producer[site.operation().input(side)];
                int residual = site.operation().input(1 - side);
                if (from >= 0 && works[from] != null && uses[site.operation().input(side)] == 1
                        && isFusible(works[from], site, residual)) {
                    works[i] = new Work(works[from].site(), works[from].kind(), site, residual);
                    works[from] = null;
                    break;
                }
            }
        }
        List<Work> left = new ArrayList<>(Arrays.asList(works));
        left.removeIf(work -> work == null);
        return left;
    }

    private static boolean isFusible(Work producer, Site addition, int residual) {
        Site site = producer.site();
        return producer.addition() == null && site.isFloat() && site.operation().type() == OperationType.CONV_2D
                && ConvolutionKind.isPlain(site)
                && Arrays.equals(site.out().dimensions(), addition.out().dimensions())
                && Arrays.equals(site.out().dimensions(), addition.model().operand(residual).descriptor().dimensions());
    }
}
