import hashlib
import json

import pulumi
import pulumi_kubernetes as k8s

config_map = k8s.core.v1.ConfigMap("source", data={"colour": "blue", "size": "3"})
name = config_map.metadata.name
colour = config_map.data["colour"]

nested = pulumi.Output.all(name, pulumi.Output.all(colour=colour, size=config_map.data["size"]))
document = pulumi.Output.json_dumps({"name": name, "inner": [colour, {"again": name}], "n": 3})
read_back = pulumi.Output.json_loads(document)

k8s.core.v1.ConfigMap(
    "derived",
    metadata={
        "annotations": {
            "checksum": config_map.data.apply(
                lambda data: hashlib.sha256(json.dumps(data, sort_keys=True).encode()).hexdigest()
            )
        }
    },
    data={
        "apply": name.apply(lambda text: text.upper()),
        "apply-of-apply": name.apply(lambda text: colour.apply(lambda c: f"{text}/{c}")),
        "all": nested.apply(lambda parts: f"{parts[0]} {parts[1]['colour']} {parts[1]['size']}"),
        "concat": pulumi.Output.concat("<", name, "|", colour, ">"),
        "format": pulumi.Output.format("{0}-{c}", name, c=colour),
        "json": document,
        "from-json": read_back["inner"][1]["again"],
        "from-input": pulumi.Output.from_input({"deep": [name]}).apply(lambda d: d["deep"][0]),
        "unsecret": pulumi.Output.unsecret(pulumi.Output.secret("public after all")),
        "urn": config_map.urn,
        "kind": config_map.kind,
    },
)
k8s.core.v1.ConfigMap("whole", metadata=config_map.metadata.apply(lambda m: {"name": f"{m.name}-2"}), data=config_map.data)
