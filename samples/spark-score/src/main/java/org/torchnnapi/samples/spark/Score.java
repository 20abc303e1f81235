package org.torchnnapi.samples.spark;

import java.io.Serializable;

/** What became of a picture: its class and score, or why there is none. A bean, as Spark's encoders take them. */
public final class Score implements Serializable {
    private static final long serialVersionUID = 1;

    private String path;
    private Integer digit;
    private Float value;
    private String error;

    static Score of(String path, int digit, float value) {
        Score score = new Score();
        score.path = path;
        score.digit = digit;
        score.value = value;
        return score;
    }

    static Score bad(String path, String error) {
        Score score = new Score();
        score.path = path;
        score.error = error;
        return score;
    }

    public String getPath() {
        return path;
    }

    public void setPath(String path) {
        this.path = path;
    }

    public Integer getDigit() {
        return digit;
    }

    public void setDigit(Integer digit) {
        this.digit = digit;
    }

    public Float getValue() {
        return value;
    }

    public void setValue(Float value) {
        this.value = value;
    }

    public String getError() {
        return error;
    }

    public void setError(String error) {
        this.error = error;
    }
}
