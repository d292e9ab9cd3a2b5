package dev.tandem.spi;

import static java.util.stream.Collectors.joining;

import java.lang.reflect.AnnotatedType;
import java.lang.reflect.Constructor;
import java.lang.reflect.Executable;
import java.lang.reflect.Field;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Prints what users of a class can name, from the compiled class: a head line, then one line per constant, constructor
 * and method. What the language adds to every record, enum and object is left out.
 */
final class ApiPrinter {
    private static final Set<String> OF_EVERY_OBJECT = Set.of("equals", "hashCode", "toString");

    private ApiPrinter() {}

    /** One type, without those nested in it. */
    static String print(Class<?> type) {
        List<String> lines = new ArrayList<>();
        lines.add(head(type));
        if (type.isEnum()) {
            Stream.of(type.getEnumConstants())
                    .map(constant -> ((Enum<?>) constant).name())
                    .forEach(lines::add);
        }
        Stream.of(type.getDeclaredFields())
                .filter(field -> visible(field.getModifiers()) && !field.isEnumConstant())
                .map(ApiPrinter::field)
                .sorted()
                .forEach(lines::add);
        Stream.of(type.getDeclaredConstructors())
                .filter(made -> visible(made.getModifiers()) && !canonical(type, made))
                .map(made -> modifiers(made, type) + name(type) + parameters(made))
                .sorted()
                .forEach(lines::add);
        Stream.of(type.getDeclaredMethods())
                .filter(method -> visible(method.getModifiers()) && !implied(type, method))
                .map(method -> method(type, method))
                .sorted()
                .forEach(lines::add);
        return String.join("\n    ", lines) + "\n";
    }

    /** The name that imports and headings use, without the package. */
    static String name(Class<?> type) {
        Class<?> outer = type.getDeclaringClass();
        return (outer == null ? "" : name(outer) + ".") + type.getSimpleName();
    }

    private static boolean visible(int modifiers) {
        return Modifier.isPublic(modifiers) || Modifier.isProtected(modifiers);
    }

    private static String head(Class<?> type) {
        String head = annotation(type.isAnnotationPresent(Incubating.class))
                + typeModifiers(type)
                + kind(type)
                + name(type)
                + TypeText.parameters(type);
        if (type.isRecord()) {
            head += Stream.of(type.getRecordComponents())
                    .map(part -> TypeText.of(part.getAnnotatedType()) + " " + part.getName())
                    .collect(joining(", ", "(", ")"));
        }
        AnnotatedType parent = type.getAnnotatedSuperclass();
        boolean plain = parent == null || type.isEnum() || type.isRecord() || parent.getType() == Object.class;
        head += plain ? "" : " extends " + TypeText.of(parent);
        String interfaces = Stream.of(type.getAnnotatedInterfaces())
                .map(TypeText::of)
                .sorted()
                .collect(joining(", "));
        String word = type.isInterface() ? " extends " : " implements ";
        return interfaces.isEmpty() || type.isAnnotation() ? head : head + word + interfaces;
    }

    private static String annotation(boolean incubating) {
        return incubating ? "@Incubating " : "";
    }

    private static String typeModifiers(Class<?> type) {
        int modifiers = type.getModifiers();
        String words = Modifier.isProtected(modifiers) ? "protected " : "";
        if (type.isSealed()) {
            words += "sealed ";
        }
        if (!type.isInterface() && !type.isEnum() && !type.isRecord()) {
            words += Modifier.isAbstract(modifiers) ? "abstract " : "";
            words += Modifier.isFinal(modifiers) ? "final " : "";
        }
        return words;
    }

    private static String kind(Class<?> type) {
        if (type.isAnnotation()) {
            return "annotation ";
        }
        if (type.isInterface()) {
            return "interface ";
        }
        if (type.isEnum()) {
            return "enum ";
        }
        return type.isRecord() ? "record " : "class ";
    }

    private static String field(Field field) {
        String words = Modifier.toString(field.getModifiers() & ~Modifier.PUBLIC);
        String line = words + " " + TypeText.of(field.getAnnotatedType()) + " " + field.getName();
        boolean constant = Modifier.isStatic(field.getModifiers())
                && (field.getType().isPrimitive() || field.getType() == String.class);
        return constant ? line + " = " + value(field) : line;
    }

    private static String value(Field field) {
        try {
            Object value = field.get(null);
            return value instanceof String text ? "\"" + text + "\"" : String.valueOf(value);
        } catch (IllegalAccessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static String method(Class<?> type, Method method) {
        String typeParameters = TypeText.parameters(method);
        return annotation(method.isAnnotationPresent(Incubating.class)) + modifiers(method, type)
                + (typeParameters.isEmpty() ? "" : typeParameters + " ")
                + TypeText.of(method.getAnnotatedReturnType()) + " " + method.getName() + parameters(method);
    }

    private static String modifiers(Executable member, Class<?> type) {
        int modifiers = member.getModifiers();
        String words = Modifier.isProtected(modifiers) ? "protected " : "";
        words += Modifier.isStatic(modifiers) ? "static " : "";
        words += member instanceof Method method && method.isDefault() ? "default " : "";
        if (!type.isInterface() && !Modifier.isFinal(type.getModifiers())) {
            words += Modifier.isAbstract(modifiers) ? "abstract " : "";
            words += Modifier.isFinal(modifiers) ? "final " : "";
        }
        return words;
    }

    private static String parameters(Executable member) {
        String types =
                Stream.of(member.getAnnotatedParameterTypes()).map(TypeText::of).collect(joining(", ", "(", ")"));
        if (member.isVarArgs()) {
            types = types.replaceFirst("\\[]\\)$", "...)");
        }
        String thrown = Stream.of(member.getExceptionTypes())
                .map(ApiPrinter::name)
                .sorted()
                .collect(joining(", "));
        return thrown.isEmpty() ? types : types + " throws " + thrown;
    }

    private static boolean canonical(Class<?> type, Constructor<?> made) {
        return type.isRecord()
                && Arrays.equals(
                        made.getParameterTypes(),
                        Stream.of(type.getRecordComponents())
                                .map(RecordComponent::getType)
                                .toArray());
    }

    /** Whether the language or {@link Object} promises a method. */
    private static boolean implied(Class<?> type, Method method) {
        String name = method.getName();
        if (method.isSynthetic() || OF_EVERY_OBJECT.contains(name)) {
            return true;
        }
        if (type.isEnum()) {
            return name.equals("values") || name.equals("valueOf");
        }
        return type.isRecord()
                && method.getParameterCount() == 0
                && Stream.of(type.getRecordComponents())
                        .anyMatch(part -> part.getAccessor().equals(method));
    }
}
