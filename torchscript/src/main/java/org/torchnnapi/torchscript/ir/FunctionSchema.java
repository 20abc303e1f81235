package org.torchnnapi.torchscript.ir;

import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Signature of an operator, function or method.
 *
 * @param name qualified name, for example {@code aten::add}, {@code __torch__.f}, or a method's plain name
 * @param overload overload name such as {@code Tensor}, or ""
 * @param traits what is true of an operator beyond its signature; they are no part of its identity
 */
public record FunctionSchema(
        String name,
        String overload,
        List<Argument> arguments,
        List<Argument> returns,
        boolean isVararg,
        Set<OperatorTrait> traits) {
    public FunctionSchema {
        arguments = List.copyOf(arguments);
        returns = List.copyOf(returns);
        traits = Set.copyOf(traits);
    }

    /** A signature without traits. */
    public FunctionSchema(
            String name, String overload, List<Argument> arguments, List<Argument> returns, boolean isVararg) {
        this(name, overload, arguments, returns, isVararg, Set.of());
    }

    /** The same signature of an operator with these traits. */
    public FunctionSchema with(Set<OperatorTrait> newTraits) {
        return newTraits.isEmpty() && traits.isEmpty()
                ? this
                : new FunctionSchema(name, overload, arguments, returns, isVararg, newTraits);
    }

    /**
     * One argument or return value.
     *
     * @param name "" for unnamed returns
     * @param defaultValue runtime value (null is None) used when {@code hasDefault}
     * @param mutated the schema marks it with {@code !}: the operator writes to it
     * @param alias alias set letter of the schema ("a"), or null
     */
    public record Argument(
            String name,
            Type type,
            boolean keywordOnly,
            boolean hasDefault,
            Object defaultValue,
            boolean mutated,
            String alias) {
        public static Argument of(String name, Type type) {
            return new Argument(name, type, false, false, null, false, null);
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof Argument a
                    && a.name.equals(name)
                    && a.type.equals(type)
                    && a.keywordOnly == keywordOnly
                    && a.hasDefault == hasDefault
                    && Objects.equals(a.defaultValue, defaultValue)
                    && a.mutated == mutated
                    && Objects.equals(a.alias, alias);
        }

        @Override
        public int hashCode() {
            return 31 * name.hashCode() + type.hashCode();
        }
    }

    /** As a record's own, which takes milliseconds to link at each start; the names tell most overloads apart. */
    @Override
    public boolean equals(Object other) {
        return other == this
                || other instanceof FunctionSchema s
                        && s.name.equals(name)
                        && s.overload.equals(overload)
                        && s.isVararg == isVararg
                        && s.arguments.equals(arguments)
                        && s.returns.equals(returns);
    }

    @Override
    public int hashCode() {
        return 31 * name.hashCode() + overload.hashCode();
    }

    /** {@code name.overload}, or the name alone. */
    public String fullName() {
        return overload.isEmpty() ? name : name + "." + overload;
    }

    /** Whether the operator writes to one of its arguments. */
    public boolean isMutating() {
        for (Argument argument : arguments) {
            if (argument.mutated()) {
                return true;
            }
        }
        return false;
    }

    /** Whether the one result is part of the first argument, in any order, and nothing is written. */
    public boolean isView() {
        return returns.size() == 1
                && !arguments.isEmpty()
                && !isMutating()
                && arguments.get(0).alias() != null
                && arguments.get(0).alias().equals(returns.get(0).alias());
    }

    /** Index of an argument, or -1. */
    public int indexOf(String argument) {
        for (int i = 0; i < arguments.size(); i++) {
            if (arguments.get(i).name().equals(argument)) {
                return i;
            }
        }
        return -1;
    }

    @Override
    public String toString() {
        return fullName()
                + arguments.stream()
                        .map(a -> a.type().text() + " " + a.name())
                        .collect(Collectors.joining(", ", "(", ")"))
                + " -> " + returns.stream().map(a -> a.type().text()).collect(Collectors.joining(", ", "(", ")"));
    }
}
