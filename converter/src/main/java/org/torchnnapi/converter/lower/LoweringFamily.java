package org.torchnnapi.converter.lower;

/** Lowerings of related node kinds; {@link Lowerings} lists all families. */
interface LoweringFamily {
    /** Receives the lowerings of a family. */
    interface Registrar {
        void lowering(String kind, Lowering lowering);
    }

    void register(Registrar registrar);
}
