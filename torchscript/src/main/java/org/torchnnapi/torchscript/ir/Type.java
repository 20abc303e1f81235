package org.torchnnapi.torchscript.ir;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * A TorchScript type. {@link #text()} is the annotation as TorchScript source writes it. The types that every model compares have
 * {@code equals} written out: linking a record's own takes milliseconds at each start.
 */
public sealed interface Type permits Type.Basic, Type.ListType, Type.DictType, Type.OptionalType, Type.TupleType,
    Type.UnionType, Type.FutureType, Type.EnumType, Type.Variable, ClassType {

    /** The annotation as written in TorchScript source, for example {@code Dict[str, List[Tensor]]}. */
    String text();

    /** Types without parameters. {@code NUMBER} is the schema type {@code Scalar}. */
    enum Basic implements Type {
        TENSOR("Tensor"), INT("int"), FLOAT("float"), BOOL("bool"), STRING("str"), COMPLEX("complex"), NUMBER("number"),
        DEVICE("Device"), NONE("NoneType"), ANY("Any"), GENERATOR("Generator"), STORAGE("Storage"), STREAM("Stream"),
        ANY_LIST("list"), ANY_TUPLE("tuple"), ANY_ENUM("AnyEnumType");

        private final String text;

        Basic(String text) {
            this.text = text;
        }

        @Override
        public String text() {
            return text;
        }
    }

    /** {@code List[element]}. */
    record ListType(Type element) implements Type {
        @Override
        public String text() {
            return "List[" + element.text() + "]";
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof ListType list && list.element.equals(element);
        }

        @Override
        public int hashCode() {
            return 31 * element.hashCode() + 1;
        }
    }

    /** {@code Dict[key, value]}; keys are str, int, float, bool, complex or Tensor. */
    record DictType(Type key, Type value) implements Type {
        @Override
        public String text() {
            return "Dict[" + key.text() + ", " + value.text() + "]";
        }
    }

    /** {@code Optional[element]}. */
    record OptionalType(Type element) implements Type {
        @Override
        public String text() {
            return "Optional[" + element.text() + "]";
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof OptionalType optional && optional.element.equals(element);
        }

        @Override
        public int hashCode() {
            return 31 * element.hashCode() + 2;
        }
    }

    /**
     * A tuple, or a named tuple if {@code name} (its qualified class name) is not null.
     *
     * @param fields field names of a named tuple, otherwise empty
     */
    record TupleType(List<Type> elements, String name, List<String> fields) implements Type {
        public TupleType {
            elements = List.copyOf(elements);
            fields = List.copyOf(fields);
        }

        public static TupleType of(List<Type> elements) {
            return new TupleType(elements, null, List.of());
        }

        @Override
        public String text() {
            if (name != null) {
                return name;
            }
            return "Tuple[" + (elements.isEmpty() ? "()" : elements.stream().map(Type::text).collect(Collectors.joining(", "))) + "]";
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof TupleType tuple && Objects.equals(tuple.name, name) && tuple.elements.equals(elements) && tuple.fields.equals(fields);
        }

        @Override
        public int hashCode() {
            return 31 * elements.hashCode() + Objects.hashCode(name);
        }
    }

    /** {@code Union[a, b, ..]}. */
    record UnionType(List<Type> members) implements Type {
        public UnionType {
            members = List.copyOf(members);
        }

        @Override
        public String text() {
            return "Union[" + members.stream().map(Type::text).collect(Collectors.joining(", ")) + "]";
        }
    }

    /** {@code Future[element]}, what {@code fork} returns. */
    record FutureType(Type element) implements Type {
        @Override
        public String text() {
            return "Future[" + element.text() + "]";
        }
    }

    /** An enum class; member values are str, int or float runtime values. */
    record EnumType(String name, List<String> members, List<Object> values) implements Type {
        public EnumType {
            members = List.copyOf(members);
            values = List.copyOf(values);
        }

        @Override
        public String text() {
            return name;
        }

        @Override
        public boolean equals(Object other) {
            return other instanceof EnumType e && e.name.equals(name);
        }

        @Override
        public int hashCode() {
            return Objects.hash(name);
        }
    }

    /**
     * A type variable of an operator schema, such as {@code t} in {@code aten::append.t(t[](a!) self, t el)}; never the
     * type of a value.
     */
    record Variable(String name) implements Type {
        @Override
        public String text() {
            return name;
        }
    }

    static ListType list(Type element) {
        return new ListType(element);
    }

    static OptionalType optional(Type element) {
        return new OptionalType(element);
    }
}
