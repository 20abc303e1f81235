package org.torchnnapi.samples.spark;

import java.io.IOException;
import java.io.Serializable;

/** A network as the job asks it, whatever computes it. Safe for use by several threads. */
interface PictureModel {
    /**
     * @param pictures {@code count} times {@link DigitPicture#ELEMENTS} values, picture by picture
     * @return the scores of all classes, picture by picture
     */
    float[] scores(float[] pictures, int count);

    /** Makes a model of what its file holds; travels to the executors. */
    interface Opener extends Serializable {
        /** @throws IOException if this is no such file, or cannot be kept */
        PictureModel open(byte[] file) throws IOException;
    }
}
