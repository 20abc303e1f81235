package org.torchnnapi.torchscript;

import org.torchnnapi.torchscript.archive.ZipReader;

/**
 * A format of models in zip files beside TorchScript's own; found by {@link java.util.ServiceLoader}, and only for
 * files that are no TorchScript.
 */
public interface ModuleFormat {
    /** Whether the file is of this format, by the names of its entries. */
    boolean recognises(ZipReader zip);

    /**
     * @throws org.torchnnapi.torchscript.format.ArchiveException if the file is damaged, or of a version that is not
     *     read
     */
    ModuleSource open(ZipReader zip);
}
