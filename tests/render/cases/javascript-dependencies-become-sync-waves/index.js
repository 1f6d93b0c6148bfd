"use strict";

const k8s = require("@pulumi/kubernetes");
const pulumi = require("@pulumi/pulumi");

const first = new k8s.core.v1.ConfigMap("first", { metadata: { name: "first" } });
const name = first.metadata.name;
const map = (text, value) =>
    new k8s.core.v1.ConfigMap(text, { metadata: { name: text, annotations: { value } } });

// An object depends on what any part of it is made of, however deep, and though nothing is left of it.
map("direct", name);
map("in-a-list", pulumi.output([{ of: [name] }]).apply(JSON.stringify));
map("in-a-promise", Promise.resolve(name));
map("in-an-output", pulumi.output("x").apply((x) => name.apply((text) => x + text)));
map("nothing-left", name.apply(() => undefined));
new k8s.core.v1.ConfigMap("by-a-property", { metadata: { name: "by-a-property" }, data: first.data });
map("none", "first");
