package org.torchnnapi.torchscript.archive;

/**
 * An entry of the central directory.
 *
 * @param name as stored, with {@code /} between its parts
 * @param deflated whether its bytes are compressed
 * @param crc CRC-32 of the unpacked bytes
 * @param compressedSize bytes in the file
 * @param size bytes when unpacked
 * @param headerOffset where its local header starts
 */
public record ZipEntryInfo(String name, boolean deflated, int crc, long compressedSize, long size, long headerOffset) {}
