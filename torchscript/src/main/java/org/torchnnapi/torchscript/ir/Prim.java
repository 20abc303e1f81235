package org.torchnnapi.torchscript.ir;

/**
 * The forms of the language: kinds of nodes that no operator's schema describes, as each reader of graphs knows them.
 */
public final class Prim {
    private Prim() {}

    /** Gives the attribute {@code value}. */
    public static final String CONSTANT = "prim::Constant";

    /** Makes a list of its inputs. */
    public static final String LIST_CONSTRUCT = "prim::ListConstruct";

    /** Makes a tuple of its inputs. */
    public static final String TUPLE_CONSTRUCT = "prim::TupleConstruct";

    /** Makes a dict of keys and values, which take turns. */
    public static final String DICT_CONSTRUCT = "prim::DictConstruct";

    /** Gives the items of a list, as many as it has outputs. */
    public static final String LIST_UNPACK = "prim::ListUnpack";

    /** Gives the items of a tuple. */
    public static final String TUPLE_UNPACK = "prim::TupleUnpack";

    /** Gives one item of a tuple. */
    public static final String TUPLE_INDEX = "prim::TupleIndex";

    /** Gives a tuple of some items of a tuple. */
    public static final String TUPLE_SLICE = "prim::TupleSlice";

    /** Gives its input under another type, which it is known to have. */
    public static final String UNCHECKED_CAST = "prim::unchecked_cast";

    /** Gives anything: no run reads it. */
    public static final String UNINITIALIZED = "prim::Uninitialized";

    /** Gives an object without attributes. */
    public static final String CREATE_OBJECT = "prim::CreateObject";

    /** Gives the attribute of an object that {@code name} says. */
    public static final String GET_ATTR = "prim::GetAttr";

    /** Gives the attribute of an object that {@code name} says the value of its second input. */
    public static final String SET_ATTR = "prim::SetAttr";

    /** Takes the first block where its input is true, else the second; gives what the block returns. */
    public static final String IF = "prim::If";

    /** Runs its block at most as often as the first input says, while the second, then the block, says so. */
    public static final String LOOP = "prim::Loop";

    /** Calls the method {@code name} of its first input. */
    public static final String CALL_METHOD = "prim::CallMethod";

    /** Calls the function that is its attribute {@code function}. */
    public static final String CALL_FUNCTION = "prim::CallFunction";

    /** Runs its block, or the call of its attribute, beside the rest, and gives what can be waited for. */
    public static final String FORK = "prim::fork";

    /** Enters a context manager. */
    public static final String ENTER = "prim::Enter";

    /** Leaves a context manager. */
    public static final String EXIT = "prim::Exit";

    /** Whether its input has one of the attribute {@code types}. */
    public static final String IS_INSTANCE = "prim::isinstance";

    /** Gives a tensor as nested lists. */
    public static final String TO_LIST = "prim::tolist";

    /** Gives the name of a member of an enum. */
    public static final String ENUM_NAME = "prim::EnumName";

    /** Gives the value of a member of an enum. */
    public static final String ENUM_VALUE = "prim::EnumValue";

    /** Ends a block with its results. */
    public static final String RETURN = "prim::Return";
}
