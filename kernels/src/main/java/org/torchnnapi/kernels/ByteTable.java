package org.torchnnapi.kernels;

/** Looks bytes up in a table of 256, by their unsigned values. */
public record ByteTable(byte[] table) implements ByteEpilogue {
    @Override
    public void finish(byte[] residual, int residualOffset, byte[] out, int outOffset, int count, int rows, int step) {
        Kernels.bytes().lookUpRows(out, outOffset, count, rows, step, table);
    }

    /** One after the other, either of which may be null for none; null for neither. */
    static ByteEpilogue before(byte[] table, QuantizedSum sum) {
        if (table == null) {
            return sum;
        }
        ByteTable first = new ByteTable(table);
        if (sum == null) {
            return first;
        }
        return (residual, residualOffset, out, outOffset, count, rows, step) -> {
            first.finish(null, 0, out, outOffset, count, rows, step);
            sum.finish(residual, residualOffset, out, outOffset, count, rows, step);
        };
    }
}
