package org.torchnnapi.tensor.platform;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/** Calls what Android's library may lack, and is reached on a JDK alone: the check of the jars passes it over. */
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.TYPE, ElementType.METHOD})
public @interface OnJdkOnly {}
