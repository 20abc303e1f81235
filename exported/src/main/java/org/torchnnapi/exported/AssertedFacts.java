package org.torchnnapi.exported;

import java.util.Map;
import java.util.function.BiFunction;
import org.torchnnapi.torchscript.ir.Type;
import org.torchnnapi.torchscript.ir.Value;

/**
 * What programs assert of numbers and tensors, as branches that raise an error: older PyTorch has no operators for
 * that.
 */
final class AssertedFacts {
    private static final String PREFIX = "torch.ops.aten.";

    private AssertedFacts() {}

    /** Adds what a node asserts; false if it is no assertion. */
    static boolean add(GraphEmitter emitter, ArgumentReader arguments, Json node) {
        String target = node.get("target").text();
        if (!target.startsWith(PREFIX)) {
            return false;
        }
        Map<String, Json> named = node.named();
        switch (target.substring(PREFIX.length())) {
            case "_assert_scalar.default", "_assert_async.msg", "_assert_async.default" -> {
                Json message = named.get("assert_msg");
                holds(
                        emitter,
                        emitter.truth(arguments.value(argument(node, named, "self"), null)),
                        message == null
                                ? "Expected Tensor with single nonzero value, but got zero"
                                : message.get("as_string").text());
            }
            case "sym_constrain_range.default", "sym_constrain_range_for_size.default" -> {
                Value size = arguments.value(argument(node, named, "size"), Type.Basic.INT);
                bound(emitter, size, named.get("min"), emitter::isLess, "at least ");
                bound(emitter, size, named.get("max"), emitter::isGreater, "at most ");
            }
            case "_assert_tensor_metadata.default" -> {
                Value tensor = arguments.value(argument(node, named, "a"), Type.Basic.TENSOR);
                Json type = named.get("dtype");
                if (type != null && type.has("as_scalar_type")) {
                    Value actual = emitter.dtype(tensor);
                    Value wanted = arguments.value(type, Type.Basic.INT);
                    emitter.raiseIf(
                            emitter.differ(actual, wanted),
                            "a tensor of another element type than in the example (expected: "
                                    + ElementTypes.of(type.get("as_scalar_type"))
                                            .torchName() + ")");
                }
            }
            default -> {
                return false;
            }
        }
        return true;
    }

    private static Json argument(Json node, Map<String, Json> named, String name) {
        Json argument = named.get(name);
        if (argument == null) {
            throw node.get("inputs").error("an argument " + name);
        }
        return argument;
    }

    private static void holds(GraphEmitter emitter, Value condition, String message) {
        emitter.raiseIf(emitter.not(condition), message);
    }

    private static void bound(
            GraphEmitter emitter, Value size, Json limit, BiFunction<Object, Object, Value> outside, String told) {
        if (limit != null && limit.has("as_int")) {
            long number = limit.get("as_int").integer();
            emitter.raiseIf(outside.apply(size, number), "size: {} (expected: " + told + number + ")", size);
        }
    }
}
