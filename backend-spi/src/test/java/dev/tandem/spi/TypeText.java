package dev.tandem.spi;

import static java.util.stream.Collectors.joining;

import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.AnnotatedTypeVariable;
import java.lang.reflect.AnnotatedWildcardType;
import java.lang.reflect.GenericDeclaration;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.TypeVariable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Types as source text, without packages and with what may be null. */
final class TypeText {
    private TypeText() {}

    static String of(AnnotatedType type) {
        String nullable = type.isAnnotationPresent(Nullable.class) ? "@Nullable " : "";
        return switch (type) {
            case AnnotatedArrayType array ->
                of(array.getAnnotatedGenericComponentType()) + (nullable.isEmpty() ? "" : " " + nullable) + "[]";
            case AnnotatedParameterizedType generic ->
                nullable
                        + ApiPrinter.name((Class<?>) ((ParameterizedType) generic.getType()).getRawType())
                        + Stream.of(generic.getAnnotatedActualTypeArguments())
                                .map(TypeText::of)
                                .collect(joining(", ", "<", ">"));
            case AnnotatedTypeVariable variable -> nullable + ((TypeVariable<?>) variable.getType()).getName();
            case AnnotatedWildcardType wildcard -> wildcard(wildcard);
            default -> nullable + ApiPrinter.name((Class<?>) type.getType());
        };
    }

    private static String wildcard(AnnotatedWildcardType wildcard) {
        if (wildcard.getAnnotatedLowerBounds().length > 0) {
            return "? super " + of(wildcard.getAnnotatedLowerBounds()[0]);
        }
        AnnotatedType upper = wildcard.getAnnotatedUpperBounds()[0];
        return upper.getType() == Object.class ? "?" : "? extends " + of(upper);
    }

    /** Type parameters with their bounds; empty where there are none. */
    static String parameters(GenericDeclaration declaration) {
        String parameters = Stream.of(declaration.getTypeParameters())
                .map(TypeText::parameter)
                .collect(joining(", "));
        return parameters.isEmpty() ? "" : "<" + parameters + ">";
    }

    private static String parameter(TypeVariable<?> parameter) {
        String bounds = Stream.of(parameter.getAnnotatedBounds())
                .filter(bound -> bound.getType() != Object.class)
                .map(TypeText::of)
                .collect(joining(" & "));
        return bounds.isEmpty() ? parameter.getName() : parameter.getName() + " extends " + bounds;
    }
}
