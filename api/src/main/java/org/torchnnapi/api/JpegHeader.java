package org.torchnnapi.api;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteOrder;
import javax.imageio.stream.ImageInputStream;
import org.torchnnapi.tensor.platform.OnJdkOnly;

/**
 * What stands before the pixels of a JPEG file.
 *
 * @param components samples of a pixel; 0 of other files
 * @param adobe whether a program says by Adobe's marker how colours are stored
 * @param transform by that marker: 2 for luma, two colour differences and black
 * @param orientation EXIF's number, 1 where there is none
 */
@OnJdkOnly
record JpegHeader(int components, boolean adobe, int transform, int orientation) {
    private static final int START = 0xFFD8;
    private static final int SCAN = 0xDA;
    private static final int EXIF = 0xE1;
    private static final int ADOBE = 0xEE;
    private static final int ORIENTATION_TAG = 0x0112;
    private static final int LITTLE_ENDIAN = 0x4949;
    private static final int SHORT_TYPE = 3;
    /** No camera writes so many. */
    private static final int MOST_ENTRIES = 1000;

    /** Leaves the stream's position anywhere; an end that comes too early ends what is found. */
    static JpegHeader read(ImageInputStream in) throws IOException {
        int components = 0;
        boolean adobe = false;
        int transform = 0;
        int orientation = 1;
        in.seek(0);
        in.setByteOrder(ByteOrder.BIG_ENDIAN);
        try {
            if (in.readUnsignedShort() != START) {
                return new JpegHeader(0, false, 0, 1);
            }
            while (true) {
                int marker = nextMarker(in);
                if (marker == SCAN) {
                    break;
                }
                int length = in.readUnsignedShort();
                long end = in.getStreamPosition() + length - Short.BYTES;
                if (marker == EXIF) {
                    int found = orientation(in, end);
                    orientation = found == 0 ? orientation : found;
                } else if (marker == ADOBE && length >= 14) {
                    in.skipBytes(11);
                    adobe = true;
                    transform = in.readUnsignedByte();
                } else if (isFrame(marker)) {
                    in.skipBytes(5);
                    components = in.readUnsignedByte();
                }
                in.setByteOrder(ByteOrder.BIG_ENDIAN);
                in.seek(Math.max(end, in.getStreamPosition()));
            }
        } catch (EOFException end) {
            // The reader tells.
        }
        in.setByteOrder(ByteOrder.BIG_ENDIAN);
        return new JpegHeader(components, adobe, transform, orientation);
    }

    private static int nextMarker(ImageInputStream in) throws IOException {
        int found = in.readUnsignedByte();
        while (found != 0xFF) {
            found = in.readUnsignedByte();
        }
        while (found == 0xFF) {
            found = in.readUnsignedByte();
        }
        return found;
    }

    /** SOF0 to SOF15 without the tables and extensions among them. */
    private static boolean isFrame(int marker) {
        return marker >= 0xC0 && marker <= 0xCF && marker != 0xC4 && marker != 0xC8 && marker != 0xCC;
    }

    private static int orientation(ImageInputStream in, long end) throws IOException {
        if (in.readInt() != 0x45786966 || in.readUnsignedShort() != 0) {
            return 0;
        }
        long start = in.getStreamPosition();
        in.setByteOrder(in.readUnsignedShort() == LITTLE_ENDIAN ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
        in.readUnsignedShort();
        long directory = start + in.readUnsignedInt();
        if (directory + Short.BYTES > end) {
            return 0;
        }
        in.seek(directory);
        int entries = Math.min(MOST_ENTRIES, in.readUnsignedShort());
        for (int i = 0; i < entries; i++) {
            in.seek(directory + Short.BYTES + 12L * i);
            if (in.getStreamPosition() + 12 > end) {
                return 0;
            }
            if (in.readUnsignedShort() == ORIENTATION_TAG && in.readUnsignedShort() == SHORT_TYPE) {
                in.readInt();
                return in.readUnsignedShort();
            }
        }
        return 0;
    }
}
