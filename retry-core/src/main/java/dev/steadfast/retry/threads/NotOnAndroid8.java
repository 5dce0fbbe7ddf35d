package dev.steadfast.retry.threads;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Marks code that calls what Android 8.0 lacks. The build does not check such code; its caller
 * catches the {@link NoSuchMethodError}.
 */
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.METHOD, ElementType.CONSTRUCTOR})
@interface NotOnAndroid8 {}
