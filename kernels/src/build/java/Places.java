import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Which place of the one signature each argument of a kernel takes. Operands that begin at an offset take {@code a} and
 * {@code b}, others {@code plan} first; what is written is {@code out}. Enumerations and bools share the first integer,
 * a byte each; floats that find no place are in integers, as their bits.
 */
final class Places {
    static final List<String> INTEGERS = List.of("op", "n", "m", "k", "i", "j");
    static final List<String> FLOATS = List.of("p", "q");
    private static final int BYTE = 8;

    /** By place. */
    final Map<String, KernelTable.Operand> operands = new LinkedHashMap<>();
    /** By place; floats in integers too. */
    final Map<String, KernelTable.Field> numbers = new LinkedHashMap<>();
    /** Those that share the first integer. */
    final List<KernelTable.Field> flags = new ArrayList<>();

    private Places() {}

    static Places of(KernelTable table, KernelTable.Kernel kernel) {
        Places places = new Places();
        try {
            places.placeOperands(kernel);
            places.placeNumbers(table, kernel);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("kernel " + kernel.name() + ": " + e.getMessage(), e);
        }
        return places;
    }

    private void placeOperands(KernelTable.Kernel kernel) {
        KernelTable.Operand written = null;
        for (KernelTable.Operand operand : kernel.operands()) {
            boolean array = operand.reach() != KernelTable.Reach.MEMORY;
            boolean other = written != null && written.reach() != KernelTable.Reach.MEMORY;
            if (!operand.constant() && (array || !other)) {
                require(!(array && other), operand.name() + " is written too (expected: one operand that is written)");
                written = operand;
            }
        }
        require(
                written == null || kernel.result() == null || written.reach() == KernelTable.Reach.MEMORY,
                "a result and an operand that is written (expected: one of them)");
        require(written != null || kernel.result() != null, "nothing is written (expected: an operand or a result)");
        if (kernel.result() == null) {
            operands.put("out", written);
        }
        for (boolean offset : new boolean[] {true, false}) {
            for (KernelTable.Operand operand : kernel.operands()) {
                if (operand.offset() == offset && (operand != written || kernel.result() != null)) {
                    List<String> wanted = offset ? List.of("a", "b") : List.of("plan", "a", "b");
                    operands.put(free(wanted, operands, operand.name()), operand);
                }
            }
        }
    }

    private void placeNumbers(KernelTable table, KernelTable.Kernel kernel) {
        for (KernelTable.Field number : kernel.numbers()) {
            if (number.type().equals("bool") || table.enumerations.containsKey(number.type())) {
                flags.add(number);
            }
        }
        require(flags.size() <= Integer.SIZE / BYTE, flags + " (expected: at most four bools and enumerations)");
        List<String> integers = INTEGERS.subList(flags.isEmpty() ? 0 : 1, INTEGERS.size());
        for (KernelTable.Field number : kernel.numbers()) {
            if (number.type().equals("int32_t")) {
                numbers.put(free(integers, numbers, number.name()), number);
            }
        }
        List<String> floats = new ArrayList<>(FLOATS);
        floats.addAll(integers);
        for (KernelTable.Field number : kernel.numbers()) {
            if (number.type().equals("float")) {
                numbers.put(free(floats, numbers, number.name()), number);
            }
        }
    }

    private static String free(List<String> wanted, Map<String, ?> taken, String name) {
        for (String place : wanted) {
            if (!taken.containsKey(place)) {
                return place;
            }
        }
        throw new IllegalArgumentException("no place for " + name + " (expected: one of " + wanted + " to be free)");
    }

    /** How far a flag's byte is shifted in the first integer. */
    int shift(KernelTable.Field flag) {
        return flags.indexOf(flag) * BYTE;
    }

    /** The place of a number that is no flag. */
    String placeOf(KernelTable.Field number) {
        return numbers.entrySet().stream()
                .filter(entry -> entry.getValue() == number)
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    String placeOf(KernelTable.Operand operand) {
        return operands.entrySet().stream()
                .filter(entry -> entry.getValue() == operand)
                .findFirst()
                .orElseThrow()
                .getKey();
    }

    private static void require(boolean fulfilled, String message) {
        if (!fulfilled) {
            throw new IllegalArgumentException(message);
        }
    }
}
