package org.torchnnapi.nnapi.driver;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.torchnnapi.nnapi.model.NnapiException;
import org.torchnnapi.nnapi.model.ResultCode;

/**
 * The files that a device's own runtime keeps, as one array of {@linkplain PreparedModel#cacheData cache data} and
 * back: a magic number, how many files there are, then of each the length of its name, the name in UTF-8, its length
 * and what is in it; numbers have 32 bits, the lowest byte first.
 */
public final class CacheFiles {
    private static final int MAGIC = 0x31464354;
    /** NNAPI's drivers have at most 32 files of a model and 32 of data. */
    private static final int MOST_FILES = 64;

    private static final int LONGEST_NAME = 255;

    private CacheFiles() {}

    /**
     * The files as one array.
     *
     * @param files by name
     * @throws NnapiException BAD_DATA if there are too many, if they are too large for an array, or if a name is none
     *     of a file in a folder
     */
    public static byte[] pack(Map<String, byte[]> files) {
        long size = 2L * Integer.BYTES;
        checkCount(files.size());
        for (Map.Entry<String, byte[]> file : files.entrySet()) {
            checkName(file.getKey());
            size += 2L * Integer.BYTES + file.getKey().getBytes(StandardCharsets.UTF_8).length + file.getValue().length;
        }
        if (size > Integer.MAX_VALUE) {
            throw bad(size + " bytes", "at most " + Integer.MAX_VALUE);
        }
        ByteBuffer data = ByteBuffer.allocate((int) size)
                .order(ByteOrder.LITTLE_ENDIAN)
                .putInt(MAGIC)
                .putInt(files.size());
        files.forEach((name, content) -> {
            byte[] text = name.getBytes(StandardCharsets.UTF_8);
            data.putInt(text.length).put(text).putInt(content.length).put(content);
        });
        return data.array();
    }

    /**
     * The files by name, in their order. Takes no more memory than the data have.
     *
     * @throws NnapiException BAD_DATA if it is not what {@link #pack} gave; a name is that of a file in a folder and
     *     leads to no other
     */
    public static Map<String, byte[]> unpack(byte[] data) {
        ByteBuffer in = ByteBuffer.wrap(data).order(ByteOrder.LITTLE_ENDIAN);
        Map<String, byte[]> files = new LinkedHashMap<>();
        try {
            if (in.getInt() != MAGIC) {
                throw bad(data.length + " bytes of something else", "those of cache files");
            }
            int count = in.getInt();
            checkCount(count);
            for (int i = 0; i < count; i++) {
                String name = StandardCharsets.UTF_8
                        .newDecoder()
                        .decode(ByteBuffer.wrap(next(in)))
                        .toString();
                checkName(name);
                if (files.put(name, next(in)) != null) {
                    throw bad("two files " + name, "names of their own");
                }
            }
        } catch (BufferUnderflowException e) {
            throw bad(data.length + " bytes, which end within a file", "whole files");
        } catch (CharacterCodingException e) {
            throw bad("a name that is no UTF-8", "text");
        }
        if (in.hasRemaining()) {
            throw bad(in.remaining() + " bytes behind the last file", "none");
        }
        return Collections.unmodifiableMap(files);
    }

    /** @throws BufferUnderflowException if fewer bytes follow than their number says */
    private static byte[] next(ByteBuffer in) {
        int length = in.getInt();
        if (length < 0 || length > in.remaining()) {
            throw new BufferUnderflowException();
        }
        byte[] bytes = new byte[length];
        in.get(bytes);
        return bytes;
    }

    private static void checkCount(int count) {
        if (count < 0 || count > MOST_FILES) {
            throw bad(count + " files", "0 to " + MOST_FILES);
        }
    }

    private static void checkName(String name) {
        boolean plain = !name.isEmpty()
                && !name.equals(".")
                && !name.equals("..")
                && name.getBytes(StandardCharsets.UTF_8).length <= LONGEST_NAME;
        for (int i = 0; plain && i < name.length(); i++) {
            char c = name.charAt(i);
            plain = c >= ' ' && c != '/' && c != '\\' && c != ':' && c != 0x7F;
        }
        if (!plain) {
            throw bad("file name of " + name.length() + " characters", "the name of a file in a folder");
        }
    }

    private static NnapiException bad(String found, String expected) {
        return new NnapiException(ResultCode.BAD_DATA, "cache data: " + found + " (expected: " + expected + ")");
    }
}
