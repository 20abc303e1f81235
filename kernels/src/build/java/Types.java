import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Sizes of types in C, where structures have their fields, and how both languages name things. */
final class Types {
    /** Bytes of a pointer on processors of 64 bits. */
    static final int WIDE = 8;
    /** Bytes of a pointer on processors of 32 bits. */
    static final int NARROW = 4;

    private static final Map<String, Integer> SIZES = Map.of(
            "int8_t", 1, "uint8_t", 1, "int16_t", 2, "uint16_t", 2, "int32_t", 4, "bool", 4, "int64_t", 8, "float", 4);
    private static final Map<String, String> IN_JAVA = Map.of(
            "int8_t",
            "byte",
            "uint8_t",
            "byte",
            "int16_t",
            "short",
            "uint16_t",
            "short",
            "int32_t",
            "int",
            "bool",
            "boolean",
            "int64_t",
            "long",
            "float",
            "float",
            "void",
            "Object");

    private Types() {}

    static boolean isKnown(KernelTable table, String type) {
        return SIZES.containsKey(type) || table.enumerations.containsKey(type) || table.structures.containsKey(type);
    }

    /** Bytes of a field's type where pointers have so many. */
    private static int size(KernelTable table, KernelTable.Field field, int pointer) {
        KernelTable.Structure structure = table.structures.get(field.type());
        int one = field.pointer()
                ? pointer
                : structure != null ? size(table, structure, pointer) : SIZES.getOrDefault(field.type(), 4);
        return one * Math.max(1, field.count());
    }

    private static int alignment(KernelTable table, KernelTable.Field field, int pointer) {
        KernelTable.Structure structure = table.structures.get(field.type());
        return field.pointer()
                ? pointer
                : structure != null ? alignment(table, structure, pointer) : SIZES.getOrDefault(field.type(), 4);
    }

    private static int alignment(KernelTable table, KernelTable.Structure structure, int pointer) {
        return structure.fields().stream()
                .mapToInt(field -> alignment(table, field, pointer))
                .max()
                .orElse(1);
    }

    /** The offset of field {@code index}, or, behind the last one, the size, where pointers have so many bytes. */
    static int offset(KernelTable table, KernelTable.Structure structure, int index, int pointer) {
        List<KernelTable.Field> fields = structure.fields();
        int at = 0;
        for (int i = 0; i <= index; i++) {
            int alignment =
                    i < fields.size() ? alignment(table, fields.get(i), pointer) : alignment(table, structure, pointer);
            at = (at + alignment - 1) / alignment * alignment;
            at += i < index ? size(table, fields.get(i), pointer) : 0;
        }
        return at;
    }

    static int size(KernelTable table, KernelTable.Structure structure, int pointer) {
        return offset(table, structure, structure.fields().size(), pointer);
    }

    /** The type in C, without what points to it. */
    static String inC(KernelTable table, String type) {
        if (table.structures.containsKey(type)) {
            return "struct " + type;
        }
        return table.enumerations.containsKey(type) ? "enum " + type : type.equals("bool") ? "int32_t" : type;
    }

    /** A scalar's type in Java. */
    static String inJava(KernelTable table, String type) {
        KernelTable.Enumeration enumeration = table.enumerations.get(type);
        if (enumeration == null) {
            return IN_JAVA.get(type);
        }
        return enumeration.java().isEmpty() ? "int" : enumeration.java();
    }

    /** {@code in_row} as {@code inRow}. */
    static String camel(String name) {
        StringBuilder out = new StringBuilder();
        for (String word : name.split("_")) {
            out.append(out.isEmpty() ? word : capital(word));
        }
        return out.toString();
    }

    /** {@code float_conv} as {@code FloatConv}. */
    static String capital(String name) {
        String camel = name.contains("_") ? camel(name) : name;
        return camel.substring(0, 1).toUpperCase(Locale.ROOT) + camel.substring(1);
    }

    static String upper(String name) {
        return name.toUpperCase(Locale.ROOT);
    }
}
