import * as pulumi from "@pulumi/pulumi";

export const data = { project: pulumi.getProject() };
