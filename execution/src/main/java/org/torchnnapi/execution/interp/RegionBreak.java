package org.torchnnapi.execution.interp;

import org.torchnnapi.torchscript.ir.SourceRange;

/**
 * Why compiled code ends at a node, which is interpreted.
 *
 * @param node its kind
 * @param reason what about it, or about what it calls, cannot be compiled
 * @param place of that: the line of Python where debug information has it, otherwise that of the archive's code
 */
public record RegionBreak(String node, String reason, SourceRange place) {
    @Override
    public String toString() {
        return reason + " at " + place;
    }
}
