package org.torchnnapi.torchscript.ir;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.torchnnapi.tensor.platform.Streams;

/**
 * How types relate: which may stand for which, what two branches have in common, and what schema variables stand for.
 */
public final class TypeRelations {
    private TypeRelations() {}

    /** Whether a value of type {@code sub} may stand where {@code type} is asked for. Lists and dicts are invariant. */
    public static boolean isSubtype(Type sub, Type type) {
        if (sub.equals(type) || type == Type.Basic.ANY) {
            return true;
        }
        if (sub instanceof Type.OptionalType optional) {
            return isSubtype(Type.Basic.NONE, type) && isSubtype(optional.element(), type);
        }
        if (sub instanceof Type.UnionType union) {
            return union.members().stream().allMatch(member -> isSubtype(member, type));
        }
        if (type instanceof Type.OptionalType optional) {
            return sub == Type.Basic.NONE || isSubtype(sub, optional.element());
        }
        if (type instanceof Type.UnionType union) {
            return union.members().stream().anyMatch(member -> isSubtype(sub, member));
        }
        if (type instanceof Type.Basic basic) {
            return switch (basic) {
                case NUMBER -> sub == Type.Basic.INT || sub == Type.Basic.FLOAT || sub == Type.Basic.COMPLEX;
                case ANY_LIST -> sub instanceof Type.ListType;
                case ANY_TUPLE -> sub instanceof Type.TupleType;
                case ANY_ENUM -> sub instanceof Type.EnumType;
                default -> false;
            };
        }
        if (sub instanceof Type.TupleType a && type instanceof Type.TupleType b) {
            return isSubtuple(a, b);
        }
        if (sub instanceof Type.FutureType a && type instanceof Type.FutureType b) {
            return isSubtype(a.element(), b.element());
        }
        return sub instanceof ClassType a && type instanceof ClassType b && implementsInterface(a, b);
    }

    private static boolean isSubtuple(Type.TupleType sub, Type.TupleType type) {
        if (sub.elements().size() != type.elements().size()
                || type.name() != null && !type.name().equals(sub.name())) {
            return false;
        }
        for (int i = 0; i < sub.elements().size(); i++) {
            if (!isSubtype(sub.elements().get(i), type.elements().get(i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean implementsInterface(ClassType type, ClassType wanted) {
        return wanted.kind() == ClassType.Kind.INTERFACE
                && wanted.methods().stream().allMatch(method -> type.method(method.name()) != null);
    }

    /** The narrowest type both may stand for without losing more than None-ness, or null if there is none. */
    public static Type unify(Type a, Type b) {
        if (isSubtype(a, b)) {
            return b;
        }
        if (isSubtype(b, a)) {
            return a;
        }
        if (a == Type.Basic.NONE) {
            return Type.optional(b);
        }
        if (b == Type.Basic.NONE) {
            return Type.optional(a);
        }
        if (a instanceof Type.OptionalType || b instanceof Type.OptionalType) {
            Type both = unify(unwrapOptional(a), unwrapOptional(b));
            return both == null ? null : Type.optional(both);
        }
        if (a instanceof Type.TupleType x
                && b instanceof Type.TupleType y
                && x.elements().size() == y.elements().size()) {
            List<Type> elements = new ArrayList<>();
            for (int i = 0; i < x.elements().size(); i++) {
                Type both = unify(x.elements().get(i), y.elements().get(i));
                if (both == null) {
                    return null;
                }
                elements.add(both);
            }
            return Type.TupleType.of(elements);
        }
        return null;
    }

    /** {@code T} for {@code Optional[T]}, any other type itself. */
    public static Type unwrapOptional(Type type) {
        return type instanceof Type.OptionalType optional ? optional.element() : type;
    }

    /**
     * Finds what the variables in {@code formal} stand for, given an argument of type {@code actual}.
     *
     * @param variables what is known so far; added to
     * @return false if the argument contradicts what is known
     */
    public static boolean bind(Type formal, Type actual, Map<String, Type> variables) {
        if (formal instanceof Type.Variable variable) {
            Type known = variables.get(variable.name());
            Type both = known == null ? actual : unify(known, actual);
            if (both != null) {
                variables.put(variable.name(), both);
            }
            return both != null;
        }
        if (formal instanceof Type.ListType list) {
            if (actual instanceof Type.ListType other) {
                return bind(list.element(), other.element(), variables);
            }
            return !hasVariables(formal);
        }
        if (formal instanceof Type.OptionalType optional) {
            return actual == Type.Basic.NONE || bind(optional.element(), unwrapOptional(actual), variables);
        }
        if (formal instanceof Type.DictType dict) {
            if (actual instanceof Type.DictType other) {
                return bind(dict.key(), other.key(), variables) && bind(dict.value(), other.value(), variables);
            }
            return !hasVariables(formal);
        }
        if (formal instanceof Type.FutureType future) {
            return actual instanceof Type.FutureType other && bind(future.element(), other.element(), variables);
        }
        if (formal instanceof Type.TupleType tuple
                && actual instanceof Type.TupleType other
                && tuple.elements().size() == other.elements().size()) {
            for (int i = 0; i < tuple.elements().size(); i++) {
                if (!bind(tuple.elements().get(i), other.elements().get(i), variables)) {
                    return false;
                }
            }
        }
        return true;
    }

    /** {@code formal} with its variables replaced; an unbound one becomes {@code Any}. */
    public static Type substitute(Type formal, Map<String, Type> variables) {
        if (formal instanceof Type.Variable variable) {
            return variables.getOrDefault(variable.name(), Type.Basic.ANY);
        }
        if (!hasVariables(formal)) {
            return formal;
        }
        if (formal instanceof Type.ListType list) {
            return Type.list(substitute(list.element(), variables));
        }
        if (formal instanceof Type.OptionalType optional) {
            return Type.optional(substitute(optional.element(), variables));
        }
        if (formal instanceof Type.DictType dict) {
            return new Type.DictType(substitute(dict.key(), variables), substitute(dict.value(), variables));
        }
        if (formal instanceof Type.FutureType future) {
            return new Type.FutureType(substitute(future.element(), variables));
        }
        Type.TupleType tuple = (Type.TupleType) formal;
        return Type.TupleType.of(tuple.elements().stream()
                .map(element -> substitute(element, variables))
                .collect(Streams.toList()));
    }

    /** Whether a schema variable occurs in the type. */
    public static boolean hasVariables(Type type) {
        if (type instanceof Type.ListType list) {
            return hasVariables(list.element());
        }
        if (type instanceof Type.OptionalType optional) {
            return hasVariables(optional.element());
        }
        if (type instanceof Type.DictType dict) {
            return hasVariables(dict.key()) || hasVariables(dict.value());
        }
        if (type instanceof Type.FutureType future) {
            return hasVariables(future.element());
        }
        if (type instanceof Type.TupleType tuple) {
            return tuple.elements().stream().anyMatch(TypeRelations::hasVariables);
        }
        return type instanceof Type.Variable;
    }
}
