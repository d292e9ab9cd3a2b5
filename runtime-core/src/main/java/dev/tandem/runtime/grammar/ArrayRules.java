package dev.tandem.runtime.grammar;

import java.util.ArrayList;
import java.util.List;

/** Arrays: elements with schemas of their own, then any number of like ones. */
final class ArrayRules {
    private static final Expression SPACE = JsonText.reference("space");
    private static final Expression COMMA = Expression.sequence(SPACE, Expression.text(","), SPACE);

    private static final int MOST_FIRST = 200;

    private final List<Expression> first = new ArrayList<>();
    private final Expression like;
    private final int least;
    private final int most;

    ArrayRules(JsonSchemaRules rules, SchemaNode node) {
        List<?> prefix = node.has("prefixItems") ? node.list("prefixItems") : List.of();
        if (prefix.size() > MOST_FIRST) {
            throw node.refusal(node.at("prefixItems"), "has more than " + MOST_FIRST + " elements");
        }
        for (int i = 0; i < prefix.size(); i++) {
            first.add(rules.schema(prefix.get(i), node.at("prefixItems", Integer.toString(i))));
        }
        boolean closed = Boolean.FALSE.equals(node.get("items"));
        this.like = closed || !node.has("items")
                ? JsonText.reference("value")
                : rules.schema(node.get("items"), node.at("items"));
        this.least = node.count("minItems").orElse(0);
        int limit = node.count("maxItems").orElse(Expression.Repeat.UNBOUNDED);
        boolean cut = closed && (limit == Expression.Repeat.UNBOUNDED || limit > prefix.size());
        this.most = cut ? prefix.size() : limit;
        if (most != Expression.Repeat.UNBOUNDED && most < least) {
            throw node.refusal(node.pointer(), "wants at least " + least + " and at most " + most + " elements");
        }
    }

    Expression expression() {
        Expression elements = elements();
        return Expression.sequence(Expression.text("["), SPACE, elements, SPACE, Expression.text("]"));
    }

    private Expression elements() {
        int own = most == Expression.Repeat.UNBOUNDED ? first.size() : Math.min(first.size(), most);
        Expression rest = own == most ? Expression.EMPTY : likeOnes(own);
        for (int i = own - 1; i >= 0; i--) {
            Expression element = i == 0 ? first.get(i) : Expression.sequence(COMMA, first.get(i));
            Expression here = Expression.sequence(element, rest);
            rest = i < least ? here : Expression.optional(here);
        }
        return rest;
    }

    /** The elements behind the first ones. */
    private Expression likeOnes(int before) {
        int needed = Math.max(0, least - before);
        int room = most == Expression.Repeat.UNBOUNDED ? most : most - before;
        Expression next = Expression.sequence(COMMA, like);
        if (before > 0) {
            return new Expression.Repeat(next, needed, room);
        }
        int roomBehind = room == Expression.Repeat.UNBOUNDED ? room : room - 1;
        Expression some = Expression.sequence(like, new Expression.Repeat(next, Math.max(0, needed - 1), roomBehind));
        return needed > 0 ? some : Expression.optional(some);
    }
}
