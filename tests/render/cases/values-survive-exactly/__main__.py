import pulumi
import pulumi_kubernetes as k8s

k8s.core.v1.ConfigMap(
    "texts",
    data={
        "on": "on", "no": "no", "exponent": "1e3", "octal": "010", "date": "2020-01-01",
        "time": "12:30", "null": "null", "empty": "", "tilde": "~", "quote": "it's \"so\"",
        "unicode": "Grüße, 世界 😀", "controls": "a\tb\u2028c\u0000d",
        "lines": "one\n  two\n\nthree\n", "open": "one\ntwo", "blank-end": "one \n", "colon": "a: b",
    },
)
k8s.apiextensions.CustomResource(
    "numbers",
    api_version="example.com/v1",
    kind="Numbers",
    spec={
        "zero": 0, "whole": 3.0, "half": 0.5, "large": 9007199254740991, "huge": 1e22,
        "negative": -7, "yes": True, "nothing": None, "list": [], "map": {}, "deep": [[1, [2]], [{"a": []}]],
    },
)
