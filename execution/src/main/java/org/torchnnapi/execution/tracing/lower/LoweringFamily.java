package org.torchnnapi.execution.tracing.lower;

/** One file of related lowerings. */
interface LoweringFamily {
    /** Receives the lowerings of a family. */
    interface Registrar {
        /** @param kind for example {@code aten::relu} */
        void add(String kind, Lowering lowering);
    }

    void register(Registrar registrar);
}
