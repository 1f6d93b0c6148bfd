// No package.json says that these are ES modules.
import * as k8s from "@pulumi/kubernetes";

import { data } from "./lib/data.js";

new k8s.core.v1.ConfigMap("settings", { metadata: { name: "settings" }, data });
