package org.torchnnapi.converter.level;

import org.torchnnapi.nnapi.driver.Driver;
import org.torchnnapi.nnapi.model.FeatureLevel;
import org.torchnnapi.nnapi.model.OperationType;
import org.torchnnapi.nnapi.op.OperationTable;

/**
 * What a conversion is made for.
 *
 * @param level the release of NNAPI that must take the models
 * @param ownRuntime whether the file is for this library's runtime alone, and may have what PyTorch's loader of
 *     serialized models lacks
 * @param exact whether functions of quantized tensors are computed to the bit as PyTorch does, by way of real numbers
 *     where NNAPI takes them; otherwise on bytes, where that is within one quantum
 * @param device the device, or its profile, to whose operations functions of bytes keep; null for any
 */
public record Target(FeatureLevel level, boolean ownRuntime, boolean exact, Driver device) {
    /** Any phone whose NNAPI knows all operations, and PyTorch's loader. */
    public static final Target DEFAULT = new Target(FeatureLevel.V1_3, false);

    /** The same for functions of quantized tensors that stay on bytes, for any device. */
    public Target(FeatureLevel level, boolean ownRuntime) {
        this(level, ownRuntime, false, null);
    }

    /** Releases by their Android API level, 27 to 31. */
    public static Target ofAndroid(int apiLevel) {
        if (apiLevel < FeatureLevel.V1_0.apiLevel() || apiLevel > FeatureLevel.LEVEL_5.apiLevel()) {
            throw new IllegalArgumentException("android: " + apiLevel
                    + " (expected: an API level from 27, Android 8.1, to 31, Android 12, the last "
                    + "with a new NNAPI: a file for 31 runs on later ones)");
        }
        return new Target(FeatureLevel.ofApiLevel(apiLevel), false);
    }

    /** Whether the level has an operation, in some form. */
    public boolean has(OperationType type) {
        return level.includes(type.since());
    }

    /**
     * Whether the level has an operation with an input, or in a use, of this name.
     *
     * @param use as the operation's {@link org.torchnnapi.nnapi.op.Signatures} name it
     */
    public boolean has(OperationType type, String use) {
        return level.includes(OperationTable.get(type).signatures().since(use));
    }

    /** The same for another release. */
    public Target withLevel(FeatureLevel other) {
        return new Target(other, ownRuntime, exact, device);
    }

    /** The same for another reader of the file. */
    public Target withOwnRuntime(boolean own) {
        return new Target(level, own, exact, device);
    }

    /** The same with functions of quantized tensors to the bit, or not. */
    public Target withExact(boolean wanted) {
        return new Target(level, ownRuntime, wanted, device);
    }

    /**
     * The same where functions of bytes keep to the operations of a device.
     *
     * @param wanted a device, or what describes one; null for any
     */
    public Target withDevice(Driver wanted) {
        return new Target(level, ownRuntime, exact, wanted);
    }

    /** Whether Android tells the ranks of results, which PyTorch's loader asks for: from NNAPI 1.2 on. */
    public boolean tellsRanks() {
        return level.includes(FeatureLevel.V1_2);
    }

    /** The release with its Android version, for example {@code NNAPI 1.2 (Android 10, API level 29)}. */
    public static String text(FeatureLevel level) {
        String android = switch (level) {
            case V1_0 -> "8.1";
            case V1_1 -> "9";
            case V1_2 -> "10";
            case V1_3 -> "11";
            case LEVEL_5 -> "12";
            default -> null;
        };
        return android == null
                ? level.toString()
                : level + " (Android " + android + ", API level " + level.apiLevel() + ")";
    }
}
