package dev.tandem.cli.architecture;

import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.GeneralCodingRules.ACCESS_STANDARD_STREAMS;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaPackage;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import dev.tandem.spi.Incubating;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.NullMarked;

@AnalyzeClasses(locations = AllModules.class, importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTests {
    /**
     * An ArchUnit that cannot read our class files sees none of them, and every rule below passes. Raise this number
     * as the project grows; it should stay within a third of the real count.
     */
    private static final int MINIMUM_CLASSES = 60;

    /** What an architecture family implements; the rule on families finds them by it. */
    private static final String ARCHITECTURE = "dev.tandem.runtime.model.Architecture";

    /** Decision D1: each module's package and everything it may depend on besides itself and the JDK. */
    private static final List<Module> MODULES = List.of(
            new Module("dev.tandem.spi"),
            new Module("dev.tandem.runtime", "dev.tandem.spi.."),
            new Module("dev.tandem.backend.cpu", "dev.tandem.spi.."),
            new Module("dev.tandem.gpu", "dev.tandem.spi.."),
            new Module("dev.tandem.backend.cuda", "dev.tandem.spi..", "dev.tandem.gpu.."),
            new Module("dev.tandem.backend.hip", "dev.tandem.spi..", "dev.tandem.gpu.."),
            new Module("dev.tandem.drafts.dflash", "dev.tandem.spi.."),
            new Module("dev.tandem.drafts.mtp", "dev.tandem.spi.."),
            new Module("dev.tandem.drafts.ngram", "dev.tandem.spi.."),
            new Module("dev.tandem.testkit", "dev.tandem.spi..", "org.junit..", "org.opentest4j.."),
            new Module(
                    "dev.tandem.cli",
                    "dev.tandem.spi..",
                    "dev.tandem.runtime..",
                    "picocli..",
                    "tools.jackson..",
                    "com.fasterxml.jackson.annotation..",
                    "org.jline.."));

    private record Module(String root, List<String> others) {
        Module(String root, String... others) {
            this(root, List.of(others));
        }

        boolean holds(JavaClass javaClass) {
            String name = javaClass.getPackageName();
            return name.equals(root) || name.startsWith(root + ".");
        }

        String[] allowed() {
            return Stream.concat(Stream.of("java..", "jdk..", "org.jspecify..", root + ".."), others.stream())
                    .toArray(String[]::new);
        }
    }

    @ArchTest
    static void importerSawTheClassesOfEveryModule(JavaClasses all) {
        assertTrue(
                all.size() >= MINIMUM_CLASSES,
                () -> "only " + all.size() + " classes seen: the rules of this class prove nothing");
        for (String root : List.of(
                "dev.tandem.spi",
                "dev.tandem.runtime",
                "dev.tandem.backend.cpu",
                "dev.tandem.gpu",
                "dev.tandem.backend.cuda",
                "dev.tandem.backend.hip",
                "dev.tandem.drafts.ngram",
                "dev.tandem.drafts.dflash",
                "dev.tandem.testkit",
                "dev.tandem.cli")) {
            assertTrue(all.containPackage(root), () -> "no class of " + root + " on the class path of this test");
        }
    }

    @ArchTest
    static void everyPackageBelongsToOneModuleOfTheTable(JavaClasses all) {
        for (JavaClass javaClass : all) {
            long owners = MODULES.stream().filter(m -> m.holds(javaClass)).count();
            assertEquals(1, owners, () -> javaClass.getName() + " must belong to one module of the dependency table");
        }
    }

    @ArchTest
    static void modulesDependDownOnly(JavaClasses all) {
        for (Module module : MODULES) {
            classes()
                    .that()
                    .resideInAPackage(module.root() + "..")
                    .should()
                    .onlyDependOnClassesThat()
                    .resideInAnyPackage(module.allowed())
                    .because("DESIGN.md D1: dependencies point down only")
                    .allowEmptyShould(true)
                    .check(all);
        }
    }

    @ArchTest
    static void packagesFormNoCycle(JavaClasses all) {
        slices().matching("dev.tandem.(**)").should().beFreeOfCycles().check(all);
    }

    @ArchTest
    static void onlyFfmPackagesReachNativeCode(JavaClasses all) {
        noClasses()
                .that()
                .resideOutsideOfPackage("..ffm..")
                .should()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "link native code",
                        c -> isOrIsInside(c, "java.lang.foreign.Linker")
                                || isOrIsInside(c, "java.lang.foreign.SymbolLookup")))
                .check(all);
    }

    @ArchTest
    static void nobodyLoadsLibrariesThroughSystem(JavaClasses all) {
        noClasses()
                .should()
                .callMethodWhere(calls("load(Library)?", System.class, Runtime.class))
                .because("a second class loader cannot load the same library; use a symbol lookup in an ffm package")
                .check(all);
    }

    @ArchTest
    static void onlyMainEndsTheProcess(JavaClasses all) {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName("dev.tandem.cli.Main")
                .should()
                .callMethodWhere(calls("exit|halt", System.class, Runtime.class))
                .check(all);
    }

    @ArchTest
    static void onlyTheCommandLineUsesStandardStreams(JavaClasses all) {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.tandem.cli..")
                .should(ACCESS_STANDARD_STREAMS)
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.lang.IO")
                .check(all);
    }

    @ArchTest
    static void onlyTheVectorPackageUsesTheVectorApi(JavaClasses all) {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.tandem.backend.cpu.vector..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("jdk.incubator.vector..")
                .because("everything else must run without --add-modules")
                .check(all);
    }

    @ArchTest
    static void nobodyUsesTheContextClassLoader(JavaClasses all) {
        noClasses()
                .should()
                .callMethodWhere(calls("[gs]etContextClassLoader", Thread.class))
                .orShould()
                .callMethod(java.util.ServiceLoader.class, "load", Class.class)
                .because("which loader sees a plugin is decided by runtime.plugin, not by the calling thread")
                .check(all);
    }

    @ArchTest
    static void onlyTheLineEditorUsesJLine(JavaClasses all) {
        noClasses()
                .that()
                .haveNameNotMatching("dev\\.tandem\\.cli\\.LineEditor(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.jline..")
                .because("a chat through a pipe must not load it")
                .check(all);
    }

    @ArchTest
    static void everyPackageIsNullMarked(JavaClasses all) {
        Set<String> unmarked = new TreeSet<>();
        for (JavaClass javaClass : all) {
            if (!javaClass.getPackage().isAnnotatedWith(NullMarked.class)) {
                unmarked.add(javaClass.getPackageName());
            }
        }
        assertEquals(Set.of(), unmarked, "packages without @NullMarked in their package-info");
    }

    @ArchTest
    static void everyPublicSpiTypeStatesItsStability(JavaClasses all) {
        classes()
                .that()
                .resideInAPackage("dev.tandem.spi..")
                .and()
                .arePublic()
                .and()
                .areTopLevelClasses()
                .should(new ArchCondition<>("be @Incubating, itself or by its package, until SPI 1.0 is released") {
                    @Override
                    public void check(JavaClass item, ConditionEvents events) {
                        JavaPackage home = item.getPackage();
                        boolean stated =
                                item.isAnnotatedWith(Incubating.class) || home.isAnnotatedWith(Incubating.class);
                        events.add(new SimpleConditionEvent(item, stated, item.getName() + " states no stability"));
                    }
                })
                .check(all);
    }

    @ArchTest
    static void architectureFamiliesDoNotKnowEachOther(JavaClasses all) {
        List<JavaClass> families = all.stream()
                .filter(c -> c.isAssignableTo(ARCHITECTURE))
                .filter(c -> !c.isInterface() && !c.getModifiers().contains(JavaModifier.ABSTRACT))
                .toList();
        boolean modelsExist = all.stream()
                .anyMatch(c -> c.getPackageName().startsWith("dev.tandem.runtime.model")
                        && !c.getSimpleName().equals("package-info"));
        assertEquals(modelsExist, !families.isEmpty(), "this rule finds families as subtypes of " + ARCHITECTURE);
        for (JavaClass family : families) {
            noClasses()
                    .that(DescribedPredicate.describe("belong to " + family.getSimpleName(), c -> isInside(c, family)))
                    .should()
                    .dependOnClassesThat(DescribedPredicate.describe(
                            "belong to another family",
                            c -> families.stream().anyMatch(other -> !other.equals(family) && isInside(c, other))))
                    .because("a change for one family must not touch another (DESIGN.md D5)")
                    .check(all);
        }
    }

    private static DescribedPredicate<JavaAccess<?>> calls(String methods, Class<?>... owners) {
        return target(nameMatching(methods))
                .and(target(owner(DescribedPredicate.describe(
                        "of " + Arrays.toString(owners),
                        (JavaClass c) -> Arrays.stream(owners).anyMatch(c::isEquivalentTo)))));
    }

    private static boolean isInside(JavaClass inner, JavaClass outer) {
        return isOrIsInside(inner, outer.getName());
    }

    private static boolean isOrIsInside(JavaClass javaClass, String name) {
        return javaClass.getName().equals(name) || javaClass.getName().startsWith(name + "$");
    }
}
