/**
 * Methods specialised to the types of their arguments. The first call with arguments of some types is recorded on tensors that have a
 * geometry but no elements: sizes, numbers, conditions and loops take their values as usual, operators on tensors either become
 * operations of a program ({@code lower/}) or are noted as calls. What was recorded is compiled and serves every later call with
 * arguments of those types. Whatever a recording cannot stand for is left to the interpreter.
 */
package org.torchnnapi.execution.specialise;
