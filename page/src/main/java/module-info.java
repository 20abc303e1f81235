/** Models as pages to look at: their graphs, where each operation runs, and what it takes. */
module org.torchnnapi.page {
    requires transitive org.torchnnapi.differ;
    requires com.fasterxml.jackson.databind;
    requires org.eclipse.elk.core;
    requires org.eclipse.elk.graph;
    requires org.eclipse.elk.alg.layered;
    requires org.eclipse.emf.common;
    requires org.eclipse.emf.ecore;
    // What the layout uses, as it says so to no module system.
    requires com.google.common;

    exports org.torchnnapi.page;
}
