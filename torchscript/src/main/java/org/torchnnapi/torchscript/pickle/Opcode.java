package org.torchnnapi.torchscript.pickle;

/** Pickle opcodes (Python's pickletools) that occur in archives or that other writers use for the same values. */
final class Opcode {
    static final int MARK = '(';
    static final int STOP = '.';
    static final int POP = '0';
    static final int BINFLOAT = 'G';
    static final int BININT = 'J';
    static final int BININT1 = 'K';
    static final int BININT2 = 'M';
    static final int NONE = 'N';
    static final int BINPERSID = 'Q';
    static final int REDUCE = 'R';
    static final int BINUNICODE = 'X';
    static final int EMPTY_LIST = ']';
    static final int APPEND = 'a';
    static final int BUILD = 'b';
    static final int GLOBAL = 'c';
    static final int DICT = 'd';
    static final int APPENDS = 'e';
    static final int BINGET = 'h';
    static final int LONG_BINGET = 'j';
    static final int LIST = 'l';
    static final int BINPUT = 'q';
    static final int LONG_BINPUT = 'r';
    static final int SETITEM = 's';
    static final int TUPLE = 't';
    static final int EMPTY_TUPLE = ')';
    static final int SETITEMS = 'u';
    static final int EMPTY_DICT = '}';
    static final int PROTO = 0x80;
    static final int NEWOBJ = 0x81;
    static final int TUPLE1 = 0x85;
    static final int TUPLE2 = 0x86;
    static final int TUPLE3 = 0x87;
    static final int NEWTRUE = 0x88;
    static final int NEWFALSE = 0x89;
    static final int LONG1 = 0x8a;
    static final int SHORT_BINUNICODE = 0x8c;
    static final int BINUNICODE8 = 0x8d;
    static final int STACK_GLOBAL = 0x93;
    static final int MEMOIZE = 0x94;
    static final int FRAME = 0x95;

    private Opcode() {}
}
