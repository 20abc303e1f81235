package org.torchnnapi.converter.lower;

/** Lowerings of related node kinds; {@link NodeLowerings} lists all families. */
interface NodeFamily {
    /** Adds the family's lowerings to the table. */
    void register(NodeLoweringTable table);
}
