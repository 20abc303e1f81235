package org.torchnnapi.torchscript.ir;

import java.util.List;

/**
 * A TorchScript type. {@link #text()} is the annotation as TorchScript source writes it. Types that consist of others
 * are {@link CompositeType}s, of a bounded size, so that code may walk over a type as over a tree.
 */
public sealed interface Type permits Type.Basic, CompositeType, Type.EnumType, Type.Variable, ClassType {

    /** The annotation as written in TorchScript source, for example {@code Dict[str, List[Tensor]]}. */
    String text();

    /** Types without parameters. {@code NUMBER} is the schema type {@code Scalar}. */
    enum Basic implements Type {
        TENSOR("Tensor"),
        INT("int"),
        FLOAT("float"),
        BOOL("bool"),
        STRING("str"),
        COMPLEX("complex"),
        NUMBER("number"),
        DEVICE("Device"),
        NONE("NoneType"),
        ANY("Any"),
        GENERATOR("Generator"),
        STORAGE("Storage"),
        STREAM("Stream"),
        ANY_LIST("list"),
        ANY_TUPLE("tuple"),
        ANY_ENUM("AnyEnumType");

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
    final class ListType extends CompositeType {
        public ListType(Type element) {
            super(1, List.of(element), null);
        }

        public Type element() {
            return parts().get(0);
        }

        @Override
        String written() {
            return "List[" + element().text() + "]";
        }
    }

    /** {@code Dict[key, value]}; keys are str, int, float, bool, complex or Tensor. */
    final class DictType extends CompositeType {
        public DictType(Type key, Type value) {
            super(3, List.of(key, value), null);
        }

        public Type key() {
            return parts().get(0);
        }

        public Type value() {
            return parts().get(1);
        }

        @Override
        String written() {
            return "Dict[" + joined() + "]";
        }
    }

    /** {@code Optional[element]}. */
    final class OptionalType extends CompositeType {
        public OptionalType(Type element) {
            super(2, List.of(element), null);
        }

        public Type element() {
            return parts().get(0);
        }

        @Override
        String written() {
            return "Optional[" + element().text() + "]";
        }
    }

    /** A tuple, or a named tuple. */
    final class TupleType extends CompositeType {
        private final List<String> fields;

        /**
         * @param name qualified class name of a named tuple, otherwise null
         * @param fields field names of a named tuple, otherwise empty
         */
        public TupleType(List<Type> elements, String name, List<String> fields) {
            super(4, elements, name);
            this.fields = List.copyOf(fields);
        }

        public static TupleType of(List<Type> elements) {
            return new TupleType(elements, null, List.of());
        }

        public List<Type> elements() {
            return parts();
        }

        /** Qualified class name of a named tuple, otherwise null. */
        @Override
        public String name() {
            return super.name();
        }

        /** Field names of a named tuple, otherwise empty. */
        public List<String> fields() {
            return fields;
        }

        @Override
        String written() {
            return name() != null ? name() : "Tuple[" + (elements().isEmpty() ? "()" : joined()) + "]";
        }

        @Override
        public boolean equals(Object other) {
            return super.equals(other) && ((TupleType) other).fields.equals(fields);
        }

        @Override
        public int hashCode() {
            return super.hashCode();
        }
    }

    /** {@code Union[a, b, ..]}. */
    final class UnionType extends CompositeType {
        public UnionType(List<Type> members) {
            super(5, members, null);
        }

        public List<Type> members() {
            return parts();
        }

        @Override
        String written() {
            return "Union[" + joined() + "]";
        }
    }

    /** {@code Future[element]}, what {@code fork} returns. */
    final class FutureType extends CompositeType {
        public FutureType(Type element) {
            super(6, List.of(element), null);
        }

        public Type element() {
            return parts().get(0);
        }

        @Override
        String written() {
            return "Future[" + element().text() + "]";
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
            return name.hashCode();
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
