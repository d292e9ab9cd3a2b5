package dev.tandem.backend.cpu;

import java.util.HashMap;
import java.util.Map;
import java.util.function.UnaryOperator;

/** Arrays by name. */
record Named(Map<String, float[]> arrays) {
    static Named of(Object... namesAndArrays) {
        Map<String, float[]> arrays = new HashMap<>();
        for (int i = 0; i < namesAndArrays.length; i += 2) {
            arrays.put((String) namesAndArrays[i], (float[]) namesAndArrays[i + 1]);
        }
        return new Named(arrays);
    }

    float[] get(String name) {
        float[] array = arrays.get(name);
        if (array == null) {
            throw new IllegalArgumentException("no array " + name + " among " + arrays.keySet());
        }
        return array;
    }

    Named map(UnaryOperator<float[]> change) {
        Map<String, float[]> changed = new HashMap<>();
        arrays.forEach((name, array) -> changed.put(name, change.apply(array)));
        return new Named(changed);
    }
}
