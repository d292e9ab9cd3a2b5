package dev.tandem.runtime.chat.jinja;

import dev.tandem.runtime.chat.jinja.Statement.Target;
import dev.tandem.runtime.chat.jinja.Token.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Parses what is assigned to. */
final class TargetParser {
    private static final Set<String> CONSTANTS = Set.of("true", "false", "none", "True", "False", "None");

    private final TokenStream stream;

    TargetParser(TokenStream stream) {
        this.stream = stream;
    }

    /** One variable, or several separated by commas. */
    Target target(boolean members) {
        Span start = stream.current().span();
        List<Target> targets = new ArrayList<>();
        boolean several = false;
        do {
            if (!targets.isEmpty() && !stream.at(Kind.NAME) && !stream.at("(")) {
                break;
            }
            if (several && stream.atName("in")) {
                break;
            }
            targets.add(element(members));
            several |= stream.at(",");
        } while (stream.skip(","));
        return several ? new Target.Several(start.to(stream.previous().span()), targets) : targets.getFirst();
    }

    private Target element(boolean members) {
        if (!stream.at("(")) {
            return name(members);
        }
        stream.expect("(");
        stream.enter();
        Target inner = target(members);
        stream.leave();
        stream.expect(")");
        return inner;
    }

    /** One variable. */
    Target single() {
        return element(false);
    }

    private Target name(boolean members) {
        Token name = stream.expect(Kind.NAME, "the name of a variable");
        if (CONSTANTS.contains(name.text())) {
            throw TemplateError.syntax(name.span(), "cannot assign to '" + name.text() + "'");
        }
        if (members && stream.skip(".")) {
            Token member = stream.expect(Kind.NAME, "the name of an attribute");
            return new Target.Member(name.span().to(member.span()), name.text(), member.text());
        }
        return new Target.Variable(name.text());
    }
}
