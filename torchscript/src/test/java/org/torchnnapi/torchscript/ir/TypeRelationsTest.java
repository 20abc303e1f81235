package org.torchnnapi.torchscript.ir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TypeRelationsTest {
    private static Type type(String text) {
        return TypeParser.parse(text.replace(';', ','), name -> null);
    }

    @ParameterizedTest
    @CsvSource({
        "int,int",
        "int,number",
        "float,number",
        "int,Optional[int]",
        "NoneType,Optional[int]",
        "int,Any",
        "Tuple[int; int],Tuple[number; Any]",
        "Optional[int],Optional[number]",
        "int,Union[str; int]",
        "List[int],list",
        "Tuple[int; str],tuple",
        "Union[int; float],number",
        "Optional[int],Union[int; NoneType]"
    })
    void subtypes(String sub, String type) {
        assertTrue(TypeRelations.isSubtype(type(sub), type(type)));
    }

    @ParameterizedTest
    @CsvSource({
        "number,int",
        "int,float",
        "bool,int",
        "bool,number",
        "List[int],List[number]",
        "Optional[int],int",
        "Tuple[int; int],Tuple[int]",
        "int,str",
        "NoneType,int",
        "Dict[str; int],Dict[str; number]",
        "Tensor,number"
    })
    void otherTypes(String sub, String type) {
        assertFalse(TypeRelations.isSubtype(type(sub), type(type)));
    }

    @ParameterizedTest
    @CsvSource({
        "int,int,int",
        "int,NoneType,Optional[int]",
        "NoneType,Tensor,Optional[Tensor]",
        "Optional[int],int,Optional[int]",
        "Tuple[int; NoneType],Tuple[int; str],Tuple[int; Optional[str]]",
        "int,number,number"
    })
    void unified(String a, String b, String both) {
        assertEquals(type(both), TypeRelations.unify(type(a), type(b)));
        assertEquals(type(both), TypeRelations.unify(type(b), type(a)));
    }

    @Test
    void unrelatedTypesHaveNothingInCommon() {
        assertEquals(null, TypeRelations.unify(type("int"), type("str")));
        assertEquals(null, TypeRelations.unify(type("List[int]"), type("List[float]")));
    }

    @Test
    void variablesStandForArguments() {
        Map<String, Type> variables = new HashMap<>();
        Type t = new Type.Variable("t");
        assertTrue(TypeRelations.bind(Type.list(t), type("List[Tuple[int; str]]"), variables));
        assertEquals(type("Tuple[int; str]"), variables.get("t"));
        assertFalse(TypeRelations.bind(t, type("float"), variables), "a contradiction");
        assertFalse(TypeRelations.bind(Type.list(t), type("int"), new HashMap<>()));
        assertEquals(
                type("Dict[str; List[Tuple[int; str]]]"),
                TypeRelations.substitute(new Type.DictType(Type.Basic.STRING, Type.list(t)), variables));
        assertEquals(Type.Basic.ANY, TypeRelations.substitute(new Type.Variable("unknown"), variables));
    }

    @Test
    void classesStandForInterfacesWhoseMethodsTheyHave() {
        ClassType wanted = new ClassType("__torch__.I", ClassType.Kind.INTERFACE);
        FunctionSchema schema = new FunctionSchema("forward", "", List.of(), List.of(), false);
        wanted.addMethod(new Function("__torch__.I.forward", schema, null));
        ClassType with = new ClassType("__torch__.A", ClassType.Kind.MODULE);
        with.addMethod(new Function("__torch__.A.forward", schema, null));
        assertTrue(TypeRelations.isSubtype(with, wanted));
        assertFalse(TypeRelations.isSubtype(new ClassType("__torch__.B", ClassType.Kind.MODULE), wanted));
        assertFalse(TypeRelations.isSubtype(wanted, with));
    }
}
