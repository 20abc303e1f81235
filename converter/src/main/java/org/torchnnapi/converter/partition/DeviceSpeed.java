package org.torchnnapi.converter.partition;

import java.util.Locale;

/**
 * How fast a device computes beside the processor of its machine, in the terms that decide what is worth a start of it.
 *
 * @param processor multiply-adds a second of the processor
 * @param accelerator multiply-adds a second of the device
 * @param start seconds that a start of the device takes
 * @param bytes bytes that pass to and from it in a second
 */
public record DeviceSpeed(double processor, double accelerator, double start, double bytes) {
    /** A phone's accelerator: orders of magnitude, of no phone in particular. */
    public static final DeviceSpeed PHONE = new DeviceSpeed(10e9, 100e9, 100e-6, 5e9);

    private static final String FORM =
            "phone, or some of processor=N, accelerator=N, start=SECONDS and bytes=N, separated by commas";

    public DeviceSpeed {
        if (!(processor > 0 && accelerator > 0 && start >= 0 && bytes > 0)) {
            throw new IllegalArgumentException("profile: " + processor + ", " + accelerator + ", " + start + ", "
                    + bytes + " (expected: positive numbers)");
        }
    }

    /**
     * Reads {@code phone}, or numbers that differ from a phone's: {@code accelerator=2e12,start=3e-4}.
     *
     * @throws IllegalArgumentException if the text is of another form
     */
    public static DeviceSpeed of(String text) {
        DeviceSpeed profile = PHONE;
        if (text.trim().toLowerCase(Locale.ROOT).equals("phone")) {
            return profile;
        }
        for (String part : text.split(",")) {
            String[] words = part.trim().split("=");
            double value;
            try {
                value = Double.parseDouble(words.length == 2 ? words[1] : "");
            } catch (NumberFormatException e) {
                throw new IllegalArgumentException("profile: " + text + " (expected: " + FORM + ")", e);
            }
            switch (words[0]) {
                case "processor" -> profile = new DeviceSpeed(value, profile.accelerator, profile.start, profile.bytes);
                case "accelerator" -> profile = new DeviceSpeed(profile.processor, value, profile.start, profile.bytes);
                case "start" -> profile = new DeviceSpeed(profile.processor, profile.accelerator, value, profile.bytes);
                case "bytes" -> profile = new DeviceSpeed(profile.processor, profile.accelerator, profile.start, value);
                default -> throw new IllegalArgumentException("profile: " + text + " (expected: " + FORM + ")");
            }
        }
        return profile;
    }

    /** Seconds that the device saves by computing something, below 0 where it costs more. */
    double gain(long multiplyAdds, long passing) {
        return multiplyAdds / processor - multiplyAdds / accelerator - start - passing / bytes;
    }
}
