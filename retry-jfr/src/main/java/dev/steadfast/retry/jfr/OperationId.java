package dev.steadfast.retry.jfr;

import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;
import jdk.jfr.Label;
import jdk.jfr.MetadataDefinition;
import jdk.jfr.Relational;

/** Marks the number that all events of one operation have, so that tools relate them. */
@MetadataDefinition
@Relational
@Label("Operation")
@Target(ElementType.FIELD)
@Retention(RetentionPolicy.RUNTIME)
@interface OperationId {}
