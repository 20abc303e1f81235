package org.torchnnapi.torchscript.value;

import org.torchnnapi.torchscript.ir.Type;

/** A member of an enum class. */
public record ScriptEnum(Type.EnumType type, String member, Object value) {}
