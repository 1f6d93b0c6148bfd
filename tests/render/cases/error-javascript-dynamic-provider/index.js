"use strict";

const pulumi = require("@pulumi/pulumi");

const provider = {
    async create() {
        throw new Error("a render must create nothing");
    },
};

class Touched extends pulumi.dynamic.Resource {
    constructor(name) {
        super(provider, name, {});
    }
}

new Touched("file");
