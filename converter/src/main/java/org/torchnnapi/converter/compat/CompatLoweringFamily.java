package org.torchnnapi.converter.compat;

/** Lowerings of related node kinds; {@link CompatLowerings} lists all families. */
interface CompatLoweringFamily {
    /** Receives the lowerings of a family. */
    interface Registrar {
        /**
         * @param arguments that every form of the operator has and the lowering may read; nodes with fewer are refused
         *     before it sees them
         */
        void lowering(String kind, int arguments, CompatLowering lowering);
    }

    void register(Registrar registrar);
}
