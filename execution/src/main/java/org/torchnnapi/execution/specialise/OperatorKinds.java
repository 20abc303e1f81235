package org.torchnnapi.execution.specialise;

import java.util.Set;
import org.torchnnapi.torchscript.ir.FunctionSchema;
import org.torchnnapi.torchscript.ir.Node;

/** Operators whose effect or result is not a matter of their arguments. */
final class OperatorKinds {
    private static final Set<String> ACTING = Set.of("prim::Print", "prim::RaiseException", "prim::TimePoint", "aten::warn", "aten::wait",
        "aten::set_grad_enabled", "aten::manual_seed", "aten::seed");

    private static final Set<String> RANDOM = Set.of("aten::rand", "aten::randn", "aten::randint", "aten::rand_like", "aten::randn_like",
        "aten::randint_like", "aten::randperm", "aten::bernoulli", "aten::bernoulli_", "aten::multinomial", "aten::normal", "aten::normal_",
        "aten::uniform_", "aten::random_", "aten::poisson", "aten::exponential_", "aten::cauchy_", "aten::geometric_", "aten::log_normal_",
        "aten::rrelu_", "aten::rrelu", "aten::binomial", "aten::gumbel_softmax");

    /** Operators that draw random numbers or write statistics, but only in training; the argument that says so. */
    private static final Set<String> TRAINED = Set.of("aten::dropout", "aten::dropout_", "aten::feature_dropout", "aten::feature_dropout_",
        "aten::alpha_dropout", "aten::alpha_dropout_", "aten::feature_alpha_dropout", "aten::feature_alpha_dropout_", "aten::batch_norm",
        "aten::native_batch_norm", "aten::native_dropout", "aten::instance_norm", "aten::lstm", "aten::gru", "aten::rnn_tanh",
        "aten::rnn_relu", "quantized::dropout");

    /** What turns constants into numbers where a type is wanted; such nodes are the loader's own and have no schema. */
    private static final Set<String> CONVERTING = Set.of("aten::FloatImplicit", "aten::IntImplicit", "aten::ComplexImplicit",
        "aten::ScalarImplicit", "aten::Float", "aten::Int", "aten::Complex", "aten::device");

    private OperatorKinds() {
    }

    /** Whether a call cannot be left out or put off, nor its result be taken for that of the next call. */
    static boolean acts(Node node, Object[] args) {
        String kind = node.kind();
        return ACTING.contains(kind) || RANDOM.contains(kind) || TRAINED.contains(kind) && trains(node.schema(), args);
    }

    static boolean converts(Node node) {
        return CONVERTING.contains(node.kind());
    }

    /** Whether an operator without arguments tells a state of the thread. */
    static boolean tellsState(Node node) {
        return node.is("aten::is_grad_enabled");
    }

    private static boolean trains(FunctionSchema schema, Object[] args) {
        int probability = schema.indexOf("p");
        if (probability >= 0 && args[probability] instanceof Number p && p.doubleValue() == 0) {
            return false;
        }
        for (String name : new String[] {"train", "training"}) {
            int index = schema.indexOf(name);
            if (index >= 0) {
                return !Boolean.FALSE.equals(args[index]);
            }
        }
        int statistics = schema.indexOf("use_input_stats");
        return statistics >= 0 && !Boolean.FALSE.equals(args[statistics]) && args[schema.indexOf("running_mean")] != null;
    }
}
