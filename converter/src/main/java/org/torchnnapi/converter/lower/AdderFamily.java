package org.torchnnapi.converter.lower;

/** Lowerings of related node kinds; {@link Adders} lists all families. */
interface AdderFamily {
    /** Receives the lowerings of a family. */
    interface Registrar {
        /**
         * @param arguments that every form of the operator has and the lowering may read; nodes with fewer are refused before it sees them
         */
        void lowering(String kind, int arguments, Adder lowering);
    }

    void register(Registrar registrar);
}
