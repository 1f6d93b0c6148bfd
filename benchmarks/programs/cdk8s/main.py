"""The guestbook of `examples` in cdk8s, written to stdout."""

import sys

from cdk8s import ApiObject, ApiObjectMetadata, App, Chart, JsonPatch

labels = {"app": "guestbook-ui"}
metadata = ApiObjectMetadata(name="guestbook-ui")
app = App()
chart = Chart(app, "guestbook")
container = {
    "name": "guestbook-ui",
    "image": "gcr.io/google-samples/gb-frontend:v5",
    "ports": [{"containerPort": 80}],
}
deployment = ApiObject(
    chart, "deployment", api_version="apps/v1", kind="Deployment", metadata=metadata
)
deployment.add_json_patch(
    JsonPatch.add(
        "/spec",
        {
            "replicas": 1,
            "selector": {"matchLabels": labels},
            "template": {"metadata": {"labels": labels}, "spec": {"containers": [container]}},
        },
    )
)
service = ApiObject(chart, "service", api_version="v1", kind="Service", metadata=metadata)
service.add_json_patch(
    JsonPatch.add("/spec", {"selector": labels, "ports": [{"port": 80, "targetPort": 80}]})
)
sys.stdout.write(app.synth_yaml())
