package org.torchnnapi.torchscript.source;

import java.nio.charset.StandardCharsets;

/**
 * The text of a file.
 *
 * @param codes its characters as bytes, which are read quicker before anything is compiled; those that Latin-1 lacks are question marks
 */
record SourceText(String entry, String text, byte[] codes) {
    static SourceText of(String entry, String text) {
        return new SourceText(entry, text, text.getBytes(StandardCharsets.ISO_8859_1));
    }
}
